/** The payments service for programs of merchants: typed operations, safe retries, verified webhooks. It depends on nothing. */
// Order, lowest first: generated, errors, money, options, requests, resources, stream, wait, client, webhooks.
export { Payments } from './client.ts'
export { isPaymentsError, type OwnErrorCode, PaymentsError } from './errors.ts'
export type { ErrorCode } from './generated/errors.ts'
export type * from './generated/events.ts'
export type * from './generated/models.ts'
export type * from './generated/params.ts'
export { type Amount, money } from './money.ts'
export type {
  LastResponse,
  PaymentsOptions,
  RequestInfo,
  RequestOptions,
  ResponseInfo,
  Result,
} from './options.ts'
export type { Download, List, ListReply } from './requests/replies.ts'
export type { EventStreamParams } from './stream.ts'
export type { StatusOptions } from './wait.ts'
export { type DeliveryHeaders, type VerifyOptions, webhooks } from './webhooks.ts'
