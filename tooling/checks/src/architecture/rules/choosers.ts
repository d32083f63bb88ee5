import { production, type Tree } from '../tree.ts'

/** Files that may choose a provider, because there is no object yet, or because the question is about none. */
const CHOOSERS: readonly RegExp[] = [
  /^packages\/(kernel|platform|operators)\//,
  // Whose callback it is, by its signature.
  /^services\/gateway\/src\/requests\/callbacks\.ts$/,
  // The candidates for new objects and reference data.
  /^packages\/(fiat|routes)\/src\/provider\/providers\.ts$/,
  /^packages\/[^/]+\/src\/(\w+\/)?(creation|service)\.ts$/,
  /^packages\/swaps\/src\/provider\/rates\.ts$/,
  /^packages\/cngn\/src\/(transfers\/(converts|deposits|payins|payouts)|customers\/enablement|operators\/jobs)\.ts$/,
  // The one treasury of an environment, and converts of rows that store no provider.
  /^packages\/cngn\/src\/(provider\/holder|movements\/sends\/deliveries)\.ts$/,
  // Default refund addresses of the sandbox; deposit addresses that this service derives itself.
  /^packages\/routes\/src\/refunds\/refund-addresses\.ts$/,
  /^packages\/swaps\/src\/addresses\/addresses\.ts$/,
]

/** Choices of a provider where an object has one: another provider would be asked about money that it does not have. */
export const wrongChoices = (tree: Tree): string[] =>
  production(tree)
    .filter(({ file }) => !CHOOSERS.some((allowed) => allowed.test(file)))
    .flatMap(({ file, choices }) => choices.map((line) => `${file}:${line} chooses a provider`))
