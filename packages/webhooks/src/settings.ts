import { defineSettings, originsSetting, SettingsError } from '@payments/platform'

/** Development targets that are exempt from the address rules. */
export const webhooksSettings = defineSettings(
  {
    WEBHOOK_DEV_TARGETS: originsSetting
      .optional()
      .describe(
        'Exact origins exempt from the target rules. Default outside production: http://127.0.0.1:9000. Not allowed in production',
      ),
  },
  ({ WEBHOOK_DEV_TARGETS }, { production }) => {
    if (production && WEBHOOK_DEV_TARGETS?.length)
      throw new SettingsError('WEBHOOK_DEV_TARGETS: not allowed in production')
    return { WEBHOOK_DEV_TARGETS: WEBHOOK_DEV_TARGETS ?? (production ? [] : ['http://127.0.0.1:9000']) }
  },
)
