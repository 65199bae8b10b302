/**
 * opencc-js types its converter, not its dictionaries: pairs `traditional simplified`, with `|` between them.
 */
declare module 'opencc-js/dict/TSCharacters' {
  const pairs: string;
  export default pairs;
}
