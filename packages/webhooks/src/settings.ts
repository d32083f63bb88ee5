import { daysSetting, defineSettings, originsSetting, SettingsError } from '@payments/platform'

/** Development targets that are exempt from the address rules, and for how long events and deliveries are kept. */
export const webhooksSettings = defineSettings(
  {
    WEBHOOK_DEV_TARGETS: originsSetting
      .optional()
      .describe(
        'Exact origins exempt from the target rules. Default outside production: http://127.0.0.1:9000. Not allowed in production',
      ),
    RETENTION_EVENTS_DAYS: daysSetting
      .default(90)
      .describe('For how many days events are kept, from which merchants can have deliveries repeated'),
    RETENTION_DELIVERIES_DAYS: daysSetting
      .default(30)
      .describe('For how many days finished deliveries are kept; at most RETENTION_EVENTS_DAYS'),
  },
  ({ WEBHOOK_DEV_TARGETS, ...retention }, { production }) => {
    if (retention.RETENTION_DELIVERIES_DAYS > retention.RETENTION_EVENTS_DAYS)
      throw new SettingsError('RETENTION_DELIVERIES_DAYS: must be at most RETENTION_EVENTS_DAYS')
    if (production && WEBHOOK_DEV_TARGETS?.length)
      throw new SettingsError('WEBHOOK_DEV_TARGETS: not allowed in production')
    return { ...retention, WEBHOOK_DEV_TARGETS: WEBHOOK_DEV_TARGETS ?? (production ? [] : ['http://127.0.0.1:9000']) }
  },
)
