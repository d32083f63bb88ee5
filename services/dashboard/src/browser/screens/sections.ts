import { sectionIn } from '../parts/frame/navigation.tsx'

/** The sections of the navigation, by what they are for. */
export const sections = [
  {
    name: '',
    links: [
      ['/', 'Overview'],
      ['/transactions', 'Transactions'],
      ['/statements', 'Statements'],
    ],
  },
  {
    name: 'Get paid',
    links: [
      ['/collections', 'Collections'],
      ['/routes', 'Payment routes'],
      ['/onramps', 'Onramps'],
    ],
  },
  {
    name: 'Move money',
    links: [
      ['/offramps', 'Offramps'],
      ['/swaps', 'Swaps'],
      ['/cngn', 'cNGN'],
      ['/customers', 'Customers'],
    ],
  },
  {
    name: 'Developers',
    links: [
      ['/keys', 'API keys'],
      ['/webhooks', 'Webhooks'],
      ['/events', 'Events'],
      ['/requests', 'Requests'],
    ],
  },
  { name: 'Organisation', links: [['/settings', 'Settings']] },
] as const

/** The path of the section that an address belongs to. */
export function sectionOf(location: string): string {
  // An object that was found by its id is shown among the transactions.
  if (location.startsWith('/objects/')) return '/transactions'
  // A command line is signed in to get a key.
  if (location === '/cli') return '/keys'
  return sectionIn(sections, location)
}
