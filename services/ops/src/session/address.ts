import { baseOf } from '@payments/client'
import { UsageError } from '../failures.ts'

const DEFAULT = 'http://127.0.0.1:4000'

/**
 * The address of the service, without `/v1`, from `--url`, else from PAYMENTS_URL.
 * @throws UsageError for what is no address, and for plain HTTP to another machine: the session would be readable on the way.
 */
export function addressOf(option: string | undefined, setting: string | undefined): string {
  const text = option ?? (setting || DEFAULT)
  const name = option === undefined ? 'PAYMENTS_URL' : '--url'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new UsageError(`${name}: must be an address like https://payments.example.com`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError(`${name}: must begin with https://, except for this machine`)
  return baseOf(url.href)
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
