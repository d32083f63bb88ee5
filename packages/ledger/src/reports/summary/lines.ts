/** The separators of fields and of lines that ASCII has for it: no kind, symbol or number has one of them. */
const [FIELD, LINE] = ['\x1f', '\x1e']

/**
 * SQL: the rows of a group as one text, for {@link linesOf}, in the order in which they come. No column may be null. Of thousands of short
 * rows the driver takes longer to make objects than the database takes to add them up.
 */
export const joinedLines = (columns: readonly string[]): string =>
  `string_agg(concat_ws(e'\\x1f', ${columns.join(', ')}), e'\\x1e')`

/** The fields of each line of {@link joinedLines}, in the order of its columns. */
export const linesOf = <const Columns extends readonly string[]>(text: string, _: Columns) =>
  text.split(LINE).map((line) => line.split(FIELD) as { -readonly [Column in keyof Columns]: string })
