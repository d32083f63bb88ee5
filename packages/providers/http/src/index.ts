/** One HTTP client and one set of errors under all adapters, which keep the wire, the mapping and the signature. */
export { type HttpClient, type HttpTiming, httpClient } from './client.ts'
export { callerErrorOf, mapErrors, ProviderError } from './errors.ts'
export { exchange } from './exchange.ts'
export { probe } from './probe.ts'
export { readable } from './readable.ts'
export {
  absent,
  helpful,
  ProviderId,
  ProviderInstant,
  ProviderName,
  ProviderSeconds,
  ProviderText,
  ProviderTime,
  ProviderUnits,
  ProviderUtcTime,
  parseJson,
} from './text.ts'
