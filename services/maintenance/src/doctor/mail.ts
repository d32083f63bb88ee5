import { accountsSettings, sendEmailNow, serviceEmails } from '@payments/accounts'
import { type Diagnosis, diagnose, type Settings } from '@payments/platform'

/** Sends one email, to `to` or else to the first operator. */
export function diagnoseMail(settings: Settings, to: string | undefined): Promise<Diagnosis> {
  const { SMTP_URL, OPERATOR_EMAILS, MAIL_FROM } = accountsSettings.from(settings)
  const recipient = to ?? OPERATOR_EMAILS[0]
  return diagnose(
    'mail',
    async () => {
      if (!SMTP_URL) return { status: 'skipped', message: 'SMTP_URL is not set: emails are files in DATA_DIR/mail' }
      if (!recipient)
        return {
          status: 'warning',
          message: 'No email was sent: there is no recipient',
          action: 'Set OPERATOR_EMAILS, or name one with --mail',
        }
      const text =
        'This email was sent by the doctor of your payments service. If it arrived in the inbox, and not among spam, there is nothing to do.'
      await sendEmailNow(settings, serviceEmails.trialEmail(serviceEmails.serviceOf(settings), recipient, text))
      return `Sent to ${recipient} from ${MAIL_FROM}: look whether it arrived, and not among spam`
    },
    'Compare SMTP_URL and MAIL_FROM with the mail server: in production it needs TLS, and a sender that it accepts',
  )
}
