import { z } from 'zod'

type Issue = Parameters<NonNullable<ReturnType<typeof z.config>['localeError']>>[0]

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  bigint: 'a whole number',
  boolean: 'true or false',
  date: 'a time',
  int: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}

const FORMATS: Readonly<Record<string, string>> = {
  base64: 'base64 text',
  date: 'an ISO 8601 date, such as 2026-01-31',
  datetime: 'an ISO 8601 time, such as 2026-01-31T12:00:00Z',
  email: 'an email address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  url: 'a URL',
  uuid: 'a UUID',
}

const counted = (count: number | bigint, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** The words for the size of a value of this kind: characters, items, or the number itself. */
function size(
  verb: 'least' | 'most',
  { origin, inclusive }: { origin: string; inclusive?: boolean },
  limit: number | bigint,
) {
  if (origin === 'string') return `Must be at ${verb} ${counted(limit, 'character')}`
  if (origin === 'array' || origin === 'set') return `Must have at ${verb} ${counted(limit, 'item')}`
  if (origin === 'object' || origin === 'map') return `Must have at ${verb} ${counted(limit, 'key')}`
  if (inclusive === false) return `Must be ${verb === 'least' ? 'greater' : 'less'} than ${limit}`
  return `Must be at ${verb} ${limit}`
}

/** What is wrong with a value, in plain words that say what would be right. */
function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Required' : `Must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`
    case 'too_small':
      return size('least', issue, issue.minimum as number)
    case 'too_big':
      return size('most', issue, issue.maximum as number)
    case 'invalid_format':
      return FORMATS[issue.format] ? `Must be ${FORMATS[issue.format]}` : 'Has the wrong format'
    case 'invalid_value':
      return issue.values.length === 1
        ? `Must be ${JSON.stringify(issue.values[0])}`
        : `Must be one of ${issue.values.join(', ')}`
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'Unrecognized field'
    default:
      return 'Is not valid'
  }
}

// Schemas without a message of their own use these words instead of the library's.
z.config({ localeError: messageOf })
