import { defineSettings, publicUrl, type Settings } from '@payments/platform'
import { z } from 'zod'

export const collectionsSettings = defineSettings({
  PAY_STREAMS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .positive()
    .default(200)
    .describe('Event streams of pay pages that one IPv4 address or IPv6 /64 may have open in one process'),
  INVOICE_EMAILS_PER_DAY: z.coerce
    .number()
    .int()
    .positive()
    .default(500)
    .describe(
      'Emails with invoices, reminders included, that one organisation may send to its customers in a day in live; in test it is 100, with those to payers',
    ),
})

/** How long a checkout session holds its amount (API contract, section 5). */
export const SESSION_MINUTES = 15
/**
 * Open sessions of one link: for each client address, and of all clients. An office, and the subscribers of a mobile carrier, have
 * one address between them. What one address can start at all links is limited by the requests that it may send.
 */
export const SESSIONS_PER_ADDRESS = 120
export const SESSIONS_PER_LINK = 3000
/** A payment that is being delivered for longer counts as stuck: a provider delivers within minutes. */
export const STUCK_SECONDS = 3600
/** The address of the hosted pay page of a link, an invoice, a checkout or a session. */
export const payUrlOf = (settings: Settings, id: string): string => `${publicUrl(settings)}/pay/${id}`
