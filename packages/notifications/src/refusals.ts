import { refusals } from '@payments/kernel'

export const no = refusals({
  notification_not_found: { status: 404, says: 'Notification not found' },
})
