import STYLE from './style.css';

let sheet: CSSStyleSheet | undefined;

/**
 * Adds the style of the forms to a document, or to the shadow root that contains a form. A constructed style sheet
 * needs no permission of a content security policy, and no element.
 */
export function adoptStyle(root: Node): void {
  const { adoptedStyleSheets: sheets } = root as Partial<DocumentOrShadowRoot>;
  if (!sheets) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  if (!sheets.includes(sheet)) sheets.push(sheet);
}
