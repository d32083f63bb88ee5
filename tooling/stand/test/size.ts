/**
 * The size of a long test: the short one, unless `TEST_SIZE=full`. The guarantee is the same; only how often it is tried differs.
 */
export const sized = (full: number, short: number): number => (process.env.TEST_SIZE === 'full' ? full : short)
