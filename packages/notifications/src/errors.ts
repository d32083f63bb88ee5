import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  notification_not_found: { status: 404, message: 'Notification not found' },
})
