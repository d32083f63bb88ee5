import { daysSetting, defineSettings } from '@payments/platform'

export const notificationsSettings = defineSettings({
  RETENTION_NOTIFICATIONS_DAYS: daysSetting.default(365).describe('For how many days notifications are kept'),
})
