/** The sections of the navigation, by what they are for. */
export const sections = [
  {
    name: '',
    links: [
      ['/', 'Overview'],
      ['/transactions', 'Transactions'],
    ],
  },
  { name: 'Get paid', links: [['/collections', 'Collections']] },
  {
    name: 'Developers',
    links: [
      ['/keys', 'API keys'],
      ['/webhooks', 'Webhooks'],
    ],
  },
] as const

/** The path of the section that an address belongs to. */
export function sectionOf(location: string): string {
  const paths = sections.flatMap(({ links }) => links.map(([path]) => path))
  return (
    paths
      .toSorted((a, b) => b.length - a.length)
      .find((path) => location === path || location.startsWith(`${path}/`)) ?? '/'
  )
}
