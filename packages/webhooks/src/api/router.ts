import { noInput } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { deliveries, findDelivery, recover, resend, sendTest } from '../deliveries/deliveries.ts'
import { change, find, list, register, revoke, rotate } from '../endpoints/service.ts'
import { checkTarget } from '../endpoints/target.ts'
import { present, presentDelivery } from '../entity.ts'
import { errors } from '../errors.ts'
import { eventTypes } from '../events/catalogue.ts'
import {
  Delivery,
  DeliveryId,
  DeliveryList,
  DeliveryWithPayload,
  Endpoint,
  EndpointId,
  EndpointList,
  EndpointPatch,
  EndpointWithSecret,
  EventTypes,
  NewEndpoint,
  Recovered,
  Recovery,
  Rotation,
} from '../schemas.ts'

const tag = 'Webhooks'
const known = [errors.webhook_endpoint_not_found, errors.webhook_endpoint_revoked]
const taking = [...known, errors.webhook_endpoint_disabled]

export const webhooksRouter = {
  create: command({
    rest: 'POST /webhooks',
    access: 'write',
    role: 'developer',
    tag,
    summary: 'Register a webhook endpoint',
    description: 'The signing secret is in this response and cannot be retrieved later.',
    message: 'Webhook endpoint created',
    status: 201,
    secretReply: true,
    input: NewEndpoint,
    output: EndpointWithSecret,
    errors: [errors.webhook_endpoint_limit],
    before: (context, input) => checkTarget(context, input.url),
    async run(unit, input, url) {
      const { row, secret } = await register(unit, input, url)
      return { ...present(row), secret }
    },
  }),
  list: query({
    rest: 'GET /webhooks',
    access: 'read',
    tag,
    summary: 'List webhook endpoints',
    description: 'The newest 200 that are not deleted.',
    message: 'Webhook endpoints retrieved',
    input: noInput,
    output: EndpointList,
    async run(context) {
      const { rows, total } = await list(context)
      return { webhookEndpoints: rows.map(present), total }
    },
  }),
  eventTypes: query({
    rest: 'GET /webhooks/event-types',
    access: 'read',
    tag,
    summary: 'List event types',
    description: 'Every type with the JSON schema of its payload and a sample.',
    message: 'Event types retrieved',
    input: noInput,
    output: EventTypes,
    async run(context) {
      const types = [...eventTypes(context.runtime.domains)]
      return { eventTypes: types, total: types.length }
    },
  }),
  get: query({
    rest: 'GET /webhooks/{webhookEndpointId}',
    access: 'read',
    tag,
    summary: 'Get a webhook endpoint',
    description: 'Deleted ones too, for their history. The secret is never shown again.',
    message: 'Webhook endpoint retrieved',
    input: EndpointId,
    output: Endpoint,
    errors: [errors.webhook_endpoint_not_found],
    run: async (context, { webhookEndpointId }) => present(await find(context, webhookEndpointId)),
  }),
  update: command({
    rest: 'PATCH /webhooks/{webhookEndpointId}',
    access: 'write',
    role: 'developer',
    tag,
    summary: 'Update a webhook endpoint',
    description:
      'Pending deliveries go to the new URL. Disabling fails pending deliveries; after enabling, recover sends their events again.',
    message: 'Webhook endpoint updated',
    input: EndpointPatch,
    output: Endpoint,
    errors: known,
    before: async (context, input) => (input.url === undefined ? {} : { url: await checkTarget(context, input.url) }),
    run: async (unit, input, checked) => present(await change(unit, { ...input, ...checked })),
  }),
  rotateSecret: command({
    rest: 'POST /webhooks/{webhookEndpointId}/rotate-secret',
    access: 'write',
    role: 'developer',
    tag,
    summary: 'Rotate the signing secret',
    description:
      'The new secret is in this response and cannot be retrieved later. During the overlap deliveries are signed with the old secret too; at most three secrets are active at a time. Without an overlap all old secrets end at once.',
    message: 'Webhook secret rotated',
    secretReply: true,
    input: Rotation,
    output: EndpointWithSecret,
    errors: [...known, errors.webhook_secrets_active],
    async run(unit, input) {
      const { row, secret } = await rotate(unit, input)
      return { ...present(row), secret }
    },
  }),
  delete: command({
    rest: 'DELETE /webhooks/{webhookEndpointId}',
    access: 'write',
    role: 'developer',
    tag,
    summary: 'Delete a webhook endpoint',
    description: 'It receives no more events; its history stays.',
    message: 'Webhook endpoint deleted',
    input: EndpointId,
    output: Endpoint,
    errors: [errors.webhook_endpoint_not_found],
    run: async (unit, { webhookEndpointId }) => present(await revoke(unit, webhookEndpointId)),
  }),
  deliveries: query({
    rest: 'GET /webhooks/{webhookEndpointId}/deliveries',
    access: 'read',
    tag,
    summary: 'List the deliveries of an endpoint',
    description: 'The newest 200, with every attempt.',
    message: 'Webhook deliveries retrieved',
    input: EndpointId,
    output: DeliveryList,
    errors: [errors.webhook_endpoint_not_found],
    async run(context, { webhookEndpointId }) {
      const { rows, total } = await deliveries(context, webhookEndpointId)
      return { deliveries: rows.map(presentDelivery), total }
    },
  }),
  delivery: query({
    rest: 'GET /webhooks/{webhookEndpointId}/deliveries/{deliveryId}',
    access: 'read',
    tag,
    summary: 'Get a delivery',
    description: 'With every attempt and the body as it was sent.',
    message: 'Webhook delivery retrieved',
    input: DeliveryId,
    output: DeliveryWithPayload,
    errors: [errors.webhook_endpoint_not_found, errors.webhook_delivery_not_found],
    run: (context, { webhookEndpointId, deliveryId }) => findDelivery(context, webhookEndpointId, deliveryId),
  }),
  test: command({
    rest: 'POST /webhooks/{webhookEndpointId}/test',
    access: 'write',
    role: 'developer',
    tag,
    summary: 'Send a test event',
    description: 'Sends `webhook.test` to this endpoint, also when its allowlist does not name it.',
    message: 'Test event sent',
    status: 201,
    input: EndpointId,
    output: Delivery,
    errors: taking,
    run: async (unit, { webhookEndpointId }) => presentDelivery(await sendTest(unit, webhookEndpointId)),
  }),
  retry: command({
    rest: 'POST /webhooks/{webhookEndpointId}/deliveries/{deliveryId}/retry',
    access: 'write',
    role: 'developer',
    tag,
    summary: 'Retry a delivery',
    description: 'Creates a new delivery of the same event, with attempts of its own.',
    message: 'Webhook delivery queued',
    status: 201,
    input: DeliveryId,
    output: Delivery,
    errors: [...taking, errors.webhook_delivery_not_found, errors.webhook_delivery_pending],
    run: async (unit, { webhookEndpointId, deliveryId }) =>
      presentDelivery(await resend(unit, webhookEndpointId, deliveryId)),
  }),
  recover: command({
    rest: 'POST /webhooks/{webhookEndpointId}/recover',
    access: 'write',
    role: 'developer',
    scans: true,
    tag,
    summary: 'Replay events that failed since a given time',
    description:
      'Queues each event since the given time that has no delivered or pending delivery, including events from while the endpoint was disabled. At most 100,000 deliveries a day, and no event more often than five times a day. To a receiver that does not answer the challenge, ten at once and then ten a minute. Use `dryRun` first to count them.',
    message: 'Webhook events recovered',
    messageOf: ({ dryRun }) => (dryRun ? 'Webhook events counted' : 'Webhook events recovered'),
    input: Recovery,
    output: Recovered,
    errors: [...taking, errors.webhook_recovery_limit],
    run: recover,
  }),
}
