import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  customer_not_found: { status: 404, message: 'Customer not found' },
  customer_anonymised: { status: 409, message: 'Customer is anonymised' },
  customer_exists: { status: 409, message: 'Customer already exists', constraint: 'customers_email_key' },
})
