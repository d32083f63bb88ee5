import { isOwner } from '../model/access.ts'
import type { Environment } from '../model/state.ts'
import { changes, idsOf, lists, type Request } from './request.ts'

/** Requests of both credentials, keys and sessions: what stands for all objects of an organisation are its customers. */
export const listCustomers = (environment: Environment): Request => ({
  line: 'GET /v1/customers',
  environment,
  access: 'read',
  answer: ({ organisation, environment: of }) =>
    lists('customers', [...organisation.customers[of]], (data) => idsOf(data.customers)),
})

export const getCustomer = (id: string, environment: Environment): Request => ({
  line: `GET /v1/customers/${id}`,
  environment,
  access: 'read',
  answer: (caller) => (caller.organisation.customers[caller.environment].has(id) ? {} : 'customer_not_found'),
})

export const createCustomer = (email: string, environment: Environment): Request => ({
  line: 'POST /v1/customers',
  body: { name: 'Customer', email },
  environment,
  access: 'write',
  duty: 'money',
  answer: (caller) => ({
    status: 201,
    apply: ({ id }) => void caller.organisation.customers[caller.environment].add(id),
  }),
})

export const renameCustomer = (id: string, environment: Environment): Request => ({
  line: `PATCH /v1/customers/${id}`,
  body: { name: 'Renamed' },
  environment,
  access: 'write',
  duty: 'money',
  answer: (caller) => (caller.organisation.customers[caller.environment].has(id) ? {} : 'customer_not_found'),
})

export const refundAddresses = (environment: Environment): Request => ({
  line: 'GET /v1/payment-routes/refund-addresses',
  environment,
  access: 'read',
  answer: ({ organisation, environment: of }) =>
    lists('refund address', [organisation.refund[of]], (data) => [data.organisation.evm]),
})

/** In live only an owner changes them, with a session that was confirmed less than 10 minutes ago. */
export const changeRefundAddress = (evm: string | null, environment: Environment): Request => ({
  line: 'PATCH /v1/payment-routes/refund-addresses',
  body: { evm },
  environment,
  access: 'write',
  duty: 'money',
  ...(environment === 'live' ? { stepUp: true } : {}),
  answer(caller) {
    if (caller.environment === 'live') {
      if (caller.kind !== 'session') return 'session_required'
      if (!isOwner(caller.role)) return 'owner_required'
      if (!caller.session?.confirmed) return 'confirmation_required'
    }
    return changes(caller.organisation.refund, { [caller.environment]: evm })
  },
})
