import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { daysSetting, defineSettings, listSetting, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** `address` or `Name <address>`, as every mail server reads it. */
const SENDER = /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/

/** Settings of sign-in, tokens and email. */
export const accountsSettings = defineSettings(
  {
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
      .optional()
      .describe('Mail server; unset: files in DATA_DIR/mail. Required in production, where `smtp://` needs STARTTLS'),
    MAIL_FROM: z
      .string()
      .regex(SENDER, 'must be an address like payments@example.com or Payments <payments@example.com>')
      .default('Payments <payments@localhost>')
      .describe('Sender of every email'),
    OPERATOR_EMAILS: listSetting
      .pipe(z.array(z.email('must be email addresses').toLowerCase()))
      .default([])
      .describe('Comma-separated email addresses of the operators'),
    REGISTRATION: z
      .enum(['open', 'invite'])
      .optional()
      .describe('Who may register: anyone, or only whom an operator invited; default `open`, in production `invite`'),
    LIVE_ACCESS: z
      .enum(['automatic', 'approved'])
      .optional()
      .describe(
        'Whether an operator must enable live access for each organisation; default `automatic`, in production `approved`',
      ),
    RETENTION_SESSIONS_DAYS: daysSetting
      .default(30)
      .describe('For how many days ended sessions are kept; a reused refresh token is recognised that long'),
    JWT_PRIVATE_KEY: z
      .string()
      .refine(isEd25519, 'must be an Ed25519 private key in PEM (PKCS#8)')
      .optional()
      .describe('Ed25519 key that signs access tokens, PEM; required in production'),
    JWT_ACCEPTED_PUBLIC_KEYS: z
      .string()
      .transform(pemBlocks)
      .refine((blocks) => blocks.every(isEd25519Public), 'must be Ed25519 public keys in PEM, one after another')
      .default([])
      .describe('Further public keys whose access tokens are accepted: the previous or the next signing key'),
  },
  (values, { keep, require, production }) => {
    require('JWT_PRIVATE_KEY', 'SMTP_URL')
    // nodemailer's options in the query of the URL include some that switch encryption off.
    if (production && values.SMTP_URL && new URL(values.SMTP_URL).search)
      throw new SettingsError('SMTP_URL: must have no options after ? in production')
    const privateKey =
      values.JWT_PRIVATE_KEY ??
      keep('jwt.pem', () =>
        generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      )
    return {
      ...values,
      REGISTRATION: values.REGISTRATION ?? (production ? ('invite' as const) : ('open' as const)),
      LIVE_ACCESS: values.LIVE_ACCESS ?? (production ? ('approved' as const) : ('automatic' as const)),
      JWT_PRIVATE_KEY: privateKey.replaceAll('\\n', '\n'),
    }
  },
)

/** The blocks of concatenated PEM. A text without a block is returned as one block, so that validation refuses it. */
function pemBlocks(text: string): string[] {
  const plain = text.replaceAll('\\n', '\n').trim()
  return plain.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? (plain ? [plain] : [])
}

function isEd25519Public(pem: string): boolean {
  try {
    return !pem.includes('PRIVATE') && createPublicKey(pem).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n')).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
