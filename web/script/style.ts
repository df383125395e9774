import STYLE from './style.css';

let sheet: CSSStyleSheet | undefined;

/**
 * Adds the style of the forms to a document, or to the shadow root that contains a form. A constructed style sheet
 * needs no permission of a content security policy, and no element.
 */
export function adoptStyle(root: Node): void {
  // A document in a frame, whose classes are others, takes no style sheet of this one.
  if (!(root instanceof Document || root instanceof ShadowRoot)) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
