import { loadServiceSettings } from '@payments/api'

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

/** What a proxy that ends TLS says; without it production answers nothing. */
export const OVER_TLS = { 'x-forwarded-proto': 'https' } as const

/** The settings of a service in production behind a proxy on loopback, with the keys of the database's folder. */
export function productionSettings(
  database: Parameters<typeof sharedSettings>[0],
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const keys: unknown = loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: database.dataDir })
  const { SECRETS_KEY = '', JWT_PRIVATE_KEY = '' } = keys as Readonly<Record<string, string>>
  return sharedSettings(database, {
    NODE_ENV: 'production',
    LIVE_ACCESS: 'automatic',
    BASE_URL: 'https://payments.test',
    SMTP_URL: 'smtp://127.0.0.1:9',
    TRUST_PROXY: '127.0.0.1',
    SHUTDOWN_DELAY_SECONDS: '0',
    SECRETS_KEY,
    JWT_PRIVATE_KEY,
    ...more,
  })
}
