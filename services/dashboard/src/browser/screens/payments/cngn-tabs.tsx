import { Link, useLocation } from 'wouter'

const TABS = [
  ['/cngn/payins', 'Payins'],
  ['/cngn/payouts', 'Payouts'],
  ['/cngn/converts', 'Converts'],
  ['/cngn/withdrawals', 'Withdrawals'],
  ['/cngn/deposits', 'Deposits'],
] as const

/** What can be done with cNGN. */
export function CngnTabs() {
  const [location] = useLocation()
  return (
    <nav className="tabs" aria-label="cNGN">
      {TABS.map(([path, name]) => (
        <Link key={path} href={path} aria-current={location === path ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
