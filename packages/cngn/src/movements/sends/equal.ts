import { ROUNDED } from '../contradictions.ts'

/** SQL: orders that look like the order `s`, of which it is unknown whether they were sent. */
export const EQUAL_IN_DOUBT = `select from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint and o.id <> s.id
    and o.status in ('queued', 'claimed', 'unresolved', 'held') and (o.sent_at is not null or o.maybe_sent_until is not null)`

/** SQL: money that left without an order in the time that a restored database has forgotten, and looks like the order `s`. */
export const looksLike = (amount: string): string => `
  select f.environment, f.account, f.reference from cngn_forgotten f
   where f.environment = s.environment and f.account = s.account and f.order_id is null
     and s.fingerprint like s.account || '/' || f.channel || '/%'
     and (f.amount is null or f.amount = ${amount} or (f.amount % ${ROUNDED} = 0 and abs(f.amount - ${amount}) < ${ROUNDED}))
     and (f.targets = '{}' or split_part(s.fingerprint, '/', -1) = any (f.targets))
     and not exists (select from cngn_sends o where o.environment = f.environment and o.account = f.account and o.reference = f.reference)`
