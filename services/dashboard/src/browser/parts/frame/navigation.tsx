import { BookIcon, type Icon } from '@primer/octicons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'

/** Sections by what they are for, each with its path, its title and its icon. */
export type Sections = readonly {
  readonly name: string
  readonly links: readonly (readonly [path: string, title: string, icon: Icon])[]
}[]

/** The sections. On a phone they are behind a button. */
export function Navigation({
  sections,
  section,
  children,
}: {
  sections: Sections
  section: string
  /** What stands before the documentation. */
  children?: ReactNode
}) {
  const [open, setOpen] = useState(false)
  return (
    <nav className="sections" aria-label="Sections">
      <button type="button" className="menu" aria-expanded={open} onClick={() => setOpen(!open)}>
        Menu
      </button>
      <div className={open ? 'open' : ''}>
        {sections.map(({ name, links }) => (
          <div key={name} className="group">
            {name && <p>{name}</p>}
            {links.map(([path, title, Shown]) => (
              <Link key={path} href={path} aria-current={section === path ? 'page' : undefined}>
                <Shown />
                {title}
              </Link>
            ))}
          </div>
        ))}
        <div className="group">
          {children}
          <a href="/docs">
            <BookIcon />
            Documentation
          </a>
        </div>
      </div>
    </nav>
  )
}

/** The path of the section that an address belongs to. */
export function sectionIn(sections: Sections, location: string): string {
  const paths = sections.flatMap(({ links }) => links.map(([path]) => path))
  return (
    paths
      .toSorted((a, b) => b.length - a.length)
      .find((path) => location === path || location.startsWith(`${path}/`)) ?? '/'
  )
}
