/** The text of the style sheet, which the build minifies. */
declare const text: string;
export default text;
