import { defineSettings, originsSetting, SettingsError } from '@payments/platform'

/** Targets for local development that the address rules do not apply to. */
export const webhooksSettings = defineSettings(
  {
    WEBHOOK_DEV_TARGETS: originsSetting
      .optional()
      .describe('Exact origins exempt from the target rules; http://127.0.0.1:9000 outside production, refused there'),
  },
  ({ WEBHOOK_DEV_TARGETS }, { production }) => {
    if (production && WEBHOOK_DEV_TARGETS?.length)
      throw new SettingsError('WEBHOOK_DEV_TARGETS: not allowed in production')
    return { WEBHOOK_DEV_TARGETS: WEBHOOK_DEV_TARGETS ?? (production ? [] : ['http://127.0.0.1:9000']) }
  },
)
