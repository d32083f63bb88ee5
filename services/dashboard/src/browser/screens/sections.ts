import {
  ArrowSwitchIcon,
  BroadcastIcon,
  CreditCardIcon,
  DownloadIcon,
  GearIcon,
  HomeIcon,
  KeyIcon,
  LinkIcon,
  LogIcon,
  PeopleIcon,
  SyncIcon,
  TableIcon,
  UploadIcon,
  WebhookIcon,
  WorkflowIcon,
} from '@primer/octicons-react'
import { sectionIn } from '../parts/frame/navigation.tsx'

/** The sections of the navigation, by what they are for. */
export const sections = [
  {
    name: '',
    links: [
      ['/', 'Overview', HomeIcon],
      ['/transactions', 'Transactions', ArrowSwitchIcon],
      ['/statements', 'Statements', TableIcon],
    ],
  },
  {
    name: 'Get paid',
    links: [
      ['/collections', 'Collections', LinkIcon],
      ['/routes', 'Payment routes', WorkflowIcon],
      ['/onramps', 'Onramps', DownloadIcon],
    ],
  },
  {
    name: 'Move money',
    links: [
      ['/offramps', 'Offramps', UploadIcon],
      ['/swaps', 'Swaps', SyncIcon],
      ['/cngn', 'cNGN', CreditCardIcon],
      ['/customers', 'Customers', PeopleIcon],
    ],
  },
  {
    name: 'Developers',
    links: [
      ['/keys', 'API keys', KeyIcon],
      ['/webhooks', 'Webhooks', WebhookIcon],
      ['/events', 'Events', BroadcastIcon],
      ['/requests', 'Requests', LogIcon],
    ],
  },
  { name: 'Organisation', links: [['/settings', 'Settings', GearIcon]] },
] as const

/** The path of the section that an address belongs to. */
export function sectionOf(location: string): string {
  // An object that was found by its id is shown among the transactions.
  if (location.startsWith('/objects/')) return '/transactions'
  // A command line is signed in to get a key.
  if (location === '/cli') return '/keys'
  return sectionIn(sections, location)
}
