/*
 * The style of the forms: plain, with the page's own font and colours. All rules are in a cascade layer, so
 * that any rule of the page outside a layer wins, and custom properties configure them.
 */

const STYLE = `@layer formgate{
.fg-form{--_line:var(--fg-border,color-mix(in srgb,currentColor 50%,transparent));
--_paper:var(--fg-background,color-mix(in srgb,currentColor 3%,transparent));
--_accent:var(--fg-accent,#1f4fd1);--_on-accent:var(--fg-accent-text,#fff);--_error:var(--fg-error,#b3261e);
--_radius:var(--fg-radius,.4rem);
display:grid;gap:var(--fg-gap,1.25rem);max-width:var(--fg-width,40rem);font:inherit;
font-family:var(--fg-font,inherit);line-height:1.5;text-align:start;overflow-wrap:anywhere}
@supports (color:light-dark(red,red)){.fg-form{--_accent:var(--fg-accent,light-dark(#1f4fd1,#9db8ff));
--_error:var(--fg-error,light-dark(#b3261e,#ffb4ab))}}
@supports (color:oklch(from red l c h)){.fg-form{
--_on-accent:var(--fg-accent-text,oklch(from var(--_accent) clamp(0,(.57 - l)*1000,1) 0 0))}}
.fg-form *{box-sizing:border-box}
.fg-form [hidden],.fg-captcha:empty{display:none!important}
.fg-unseen{position:absolute!important;width:1px!important;height:1px!important;overflow:hidden!important;
clip-path:inset(50%);white-space:nowrap}
.fg-field,.fg-entries{display:grid;gap:.35rem;min-width:0;margin:0;padding:0;border:0;position:relative}
.fg-label{padding:0;font-weight:600}
legend.fg-label{margin-bottom:.35rem}
.fg-star,.fg-error{color:var(--_error)}
.fg-help,.fg-error,.fg-note,.fg-privacy{margin:0;font-size:.875em}
.fg-error{font-weight:600}
.fg-form :is(input,select,textarea){font:inherit;color:inherit;accent-color:var(--_accent)}
.fg-form :is(input:not([type=checkbox],[type=radio]),select,textarea){width:100%;min-height:2.75rem;margin:0;
padding:.5rem .75rem;border:1px solid var(--_line);border-radius:var(--_radius);background-color:var(--_paper)}
.fg-form option{color:fieldtext;background-color:field}
.fg-form textarea{min-height:8rem;resize:vertical}
.fg-form :is(input,textarea)::placeholder{color:inherit;opacity:.65}
.fg-form [aria-invalid=true]:not([type=checkbox],[type=radio]){border-color:var(--_error);
box-shadow:inset 0 0 0 1px var(--_error)}
.fg-form :is(input,select,textarea,button,a,[tabindex]):focus-visible{outline:3px solid var(--_accent);
outline-offset:2px}
.fg-choice{display:flex;gap:.6rem;align-items:flex-start;min-height:1.75rem;padding:.1rem 0;cursor:pointer}
.fg-choice input{flex:none;width:1.25rem;height:1.25rem;margin:.15rem 0 0}
.fg-form button{min-height:2.75rem;padding:.5rem 1.5rem;border:1px solid transparent;
border-radius:var(--_radius);font:inherit;font-weight:600;cursor:pointer;justify-self:start}
.fg-submit{background:var(--_accent);color:var(--_on-accent)}
.fg-form button.fg-add{min-height:2.25rem;padding:.25rem .9rem;border-color:var(--_line);background:none;
color:inherit}
.fg-form button:disabled{cursor:progress;opacity:.6}
.fg-form a{color:inherit;text-decoration:underline}
.fg-alert:empty{position:absolute}
.fg-alert:not(:empty){padding:.75rem 1rem;border:1px solid var(--_error);border-inline-start-width:.35rem;
border-radius:var(--_radius)}
.fg-alert p,.fg-alert ul{margin:0}
.fg-alert ul{padding-inline-start:1.25rem}
.fg-message{margin:0;padding:1rem 1.25rem;border:1px solid var(--_line);border-inline-start:.35rem solid var(--_accent);
border-radius:var(--_radius);white-space:pre-line}
@media (max-width:30rem){.fg-submit{width:100%}}
}`;

let sheet: CSSStyleSheet | undefined;

/**
 * Adds the style of the forms to a document, or to the shadow root that contains a form. A constructed style sheet
 * needs no permission of a content security policy, and no element.
 */
export function adoptStyle(root: Node): void {
  if (!(root instanceof Document || root instanceof ShadowRoot)) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }
}
