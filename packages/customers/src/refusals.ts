import { refusals } from '@payments/kernel'

export const no = refusals({
  customer_not_found: { status: 404, says: 'Customer not found' },
  customer_exists: { status: 409, says: 'Customer already exists', constraint: 'customers_email_key' },
})
