/** What every service of a stand runs with, unless it is told otherwise: no limits that many requests reach, an operator, addresses of its own for refunds. */
export const STAND_SETTINGS: Readonly<Record<string, string>> = {
  NODE_ENV: 'test',
  RATE_LIMIT_GLOBAL: '100000000',
  RATE_LIMIT_AUTH: '100000000',
  CONNECTIONS_PER_ADDRESS: '10000',
  OPERATOR_EMAILS: 'operator@example.com',
  REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  REFUND_ADDRESS_SVM: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
  REFUND_ADDRESS_TVM: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
}

/** What the processes of a run have in common: everything that runs at once shares its database, keys and folders. */
export const sharedSettings = (
  { dataDir, ownerUrl, serviceUrl }: { dataDir: string; ownerUrl: string; serviceUrl: string },
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  ...STAND_SETTINGS,
  LOG_LEVEL: 'error',
  DATA_DIR: dataDir,
  DATABASE_URL: serviceUrl,
  DATABASE_OWNER_URL: ownerUrl,
  ...more,
})
