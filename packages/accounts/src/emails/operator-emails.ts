import type { UnitOfWork } from '@payments/platform'
import { accountsSettings } from '../settings.ts'
import { sendEmail } from './email.ts'
import { approvalEmail, serviceOf } from './email-texts.ts'

/** Emails all operators but one about a command on money that waits for a second one, once the transaction commits. */
export async function emailOperators(
  unit: UnitOfWork,
  about: Omit<Parameters<typeof approvalEmail>[2], 'by'> & { readonly by: string | null },
): Promise<void> {
  const { settings } = unit.runtime
  for (const to of accountsSettings.from(settings).OPERATOR_EMAILS)
    if (to !== about.by)
      await sendEmail(unit, {
        ...approvalEmail(serviceOf(settings), to, { ...about, by: about.by ?? 'An operator' }),
        deliver: true,
        until: about.until.toISOString(),
      })
}
