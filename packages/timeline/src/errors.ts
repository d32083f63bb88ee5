import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  timeline_not_found: { status: 404, message: 'Timeline not found' },
})
