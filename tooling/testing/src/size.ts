/**
 * The size of a long test: `TEST_SIZE=short`, which `npm run check` sets, takes the second. The guarantee is the same; only
 * how often it is tried differs.
 */
export const sized = (full: number, short: number): number => (process.env.TEST_SIZE === 'short' ? short : full)
