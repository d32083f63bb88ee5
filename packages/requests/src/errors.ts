import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  request_not_found: { status: 404, message: 'Request not found' },
})
