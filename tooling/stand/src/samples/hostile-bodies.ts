/** Bodies under 100 kB that are as costly to check as possible. */
export const HOSTILE_BODIES: Readonly<Record<string, string>> = {
  'one deep chain': `{"a":${'['.repeat(45_000)}${']'.repeat(45_000)}}`,
  'deep chains of objects': `{"a":[${Array.from({ length: 6 }, () => `${'{"a":'.repeat(2500)}1${'}'.repeat(2500)}`).join()}],"b":"\\u0000"}`,
  'many empty arrays': `{"a":[${Array(30_000).fill('[]').join()}]}`,
  'many empty objects with a NUL at the end': `{"a":[${Array(24_000).fill('{}').join()}],"b":"\\u0000"}`,
  'many keys': `{${Array.from({ length: 8_000 }, (_, index) => `"k${index}":0`).join()}}`,
  'one long text': `{"a":"${'a'.repeat(95_000)}"}`,
  'one long text of escapes': `{"a":"${'\\u00e9'.repeat(16_000)}"}`,
  'many short texts': `{"a":[${Array(20_000).fill('"a"').join()}]}`,
  'many short texts and an escape': `{"a":[${Array(20_000).fill('"a"').join()}],"b":"\\ud83d\\ude00"}`,
  'many short texts of two bytes': `{"a":[${Array(11_000).fill('"\\u0416"').join()}]}`,
  'many numbers': `{"a":[${Array(45_000).fill('1').join()}]}`,
  'a chain of 30 levels, repeated': `{"a":[${Array.from({ length: 1500 }, () => `${'['.repeat(29)}${']'.repeat(29)}`).join()}]}`,
}
