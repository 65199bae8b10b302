/** Prompt template `repair`, version 1: asked once when an answer was no usable JSON. */
export const repairV1 = {
  id: 'repair',
  version: 1,
  body: 'Your answer could not be read. Answer again with nothing but one JSON object of the form {"statements": [...]}, without a code fence and without any other word. If nothing is worth keeping, answer {"statements": []}.',
} as const;
