import { command, query } from '@payments/kernel'
import { z } from 'zod'
import { present, presentDelivery } from './entity.ts'
import { no } from './refusals.ts'
import {
  DeliveryList,
  Endpoint,
  EndpointId,
  EndpointList,
  EndpointWithSecret,
  EventTypes,
  NewEndpoint,
} from './schemas.ts'
import { deliveries, find, list, register } from './service.ts'

export const webhooksRouter = {
  create: command({
    rest: 'POST /webhooks',
    access: 'write',
    tag: 'Webhooks',
    summary: 'Register a webhook endpoint',
    description: 'The signing secret is in this reply and cannot be retrieved later.',
    message: 'Webhook endpoint created',
    status: 201,
    secretReply: true,
    input: NewEndpoint,
    output: EndpointWithSecret,
    async run(work, input) {
      const { row, secret } = await register(work, input)
      return { ...present(row), secret }
    },
  }),
  list: query({
    rest: 'GET /webhooks',
    access: 'read',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    message: 'Webhook endpoints retrieved',
    input: z.strictObject({}),
    output: EndpointList,
    async run(read) {
      const { rows, total } = await list(read)
      return { webhookEndpoints: rows.map(present), total }
    },
  }),
  eventTypes: query({
    rest: 'GET /webhooks/event-types',
    access: 'read',
    tag: 'Webhooks',
    summary: 'List event types',
    message: 'Event types retrieved',
    input: z.strictObject({}),
    output: EventTypes,
    async run(read) {
      const eventTypes = Object.entries(read.runtime.catalogue).map(([type, row]) => ({
        type,
        description: row.says,
        optIn: row.optIn ?? false,
      }))
      return { eventTypes, total: eventTypes.length }
    },
  }),
  get: query({
    rest: 'GET /webhooks/{webhookEndpointId}',
    access: 'read',
    tag: 'Webhooks',
    summary: 'Get a webhook endpoint',
    message: 'Webhook endpoint retrieved',
    input: EndpointId,
    output: Endpoint,
    refusals: [no.webhook_endpoint_not_found],
    run: async (read, { webhookEndpointId }) => present(await find(read, webhookEndpointId)),
  }),
  deliveries: query({
    rest: 'GET /webhooks/{webhookEndpointId}/deliveries',
    access: 'read',
    tag: 'Webhooks',
    summary: 'List the deliveries of an endpoint',
    description: 'The newest 200, with every attempt.',
    message: 'Webhook deliveries retrieved',
    input: EndpointId,
    output: DeliveryList,
    refusals: [no.webhook_endpoint_not_found],
    async run(read, { webhookEndpointId }) {
      const { rows, total } = await deliveries(read, webhookEndpointId)
      return { deliveries: rows.map(presentDelivery), total }
    },
  }),
}
