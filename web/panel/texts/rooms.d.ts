/** The texts of a room, as the build cuts them out of a catalogue. */
declare module '*?room=common' {
  const texts: Record<string, string>;
  export default texts;
}
declare module '*?room=account' {
  export { default } from '*?room=common';
}
declare module '*?room=audit' {
  export { default } from '*?room=common';
}
declare module '*?room=attention' {
  export { default } from '*?room=common';
}
declare module '*?room=captcha' {
  export { default } from '*?room=common';
}
declare module '*?room=emptyInbox' {
  export { default } from '*?room=common';
}
declare module '*?room=forms' {
  export { default } from '*?room=common';
}
declare module '*?room=history' {
  export { default } from '*?room=common';
}
declare module '*?room=inbox' {
  export { default } from '*?room=common';
}
declare module '*?room=install' {
  export { default } from '*?room=common';
}
declare module '*?room=leadDialogs' {
  export { default } from '*?room=common';
}
declare module '*?room=outer' {
  export { default } from '*?room=common';
}
declare module '*?room=people' {
  export { default } from '*?room=common';
}
declare module '*?room=placements' {
  export { default } from '*?room=common';
}
declare module '*?room=privacy' {
  export { default } from '*?room=common';
}
declare module '*?room=secondFactor' {
  export { default } from '*?room=common';
}
declare module '*?room=spamSettings' {
  export { default } from '*?room=common';
}
declare module '*?room=statistics' {
  export { default } from '*?room=common';
}
declare module '*?room=teams' {
  export { default } from '*?room=common';
}
declare module '*?room=translations' {
  export { default } from '*?room=common';
}
declare module '*?room=websiteImport' {
  export { default } from '*?room=common';
}
declare module '*?room=websites' {
  export { default } from '*?room=common';
}
declare module '*?room=console' {
  export { default } from '*?room=common';
}
declare module '*?room=report' {
  export { default } from '*?room=common';
}
