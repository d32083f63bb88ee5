import { Link, useLocation } from 'wouter'

const TABS = [
  ['/account', 'Account and sessions'],
  ['/settings/team', 'Team'],
  ['/settings/notifications', 'Notifications'],
  ['/settings/payments', 'Payments'],
  ['/settings/branding', 'Branding'],
] as const

/** The screens of the settings, above each of them. */
export function SettingsTabs() {
  const [location] = useLocation()
  return (
    <nav className="tabs" aria-label="Settings">
      {TABS.map(([path, name]) => (
        <Link key={path} href={path} aria-current={location === path ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
