import { Approvals } from './approvals.tsx'
import { Attention } from './attention.tsx'
import { AuditLog } from './audit-log.tsx'
import { CommandList, CommandScreen } from './commands.tsx'
import { ObjectScreen } from './object.tsx'
import { Search } from './search.tsx'

/** Finding what needs an operator, and doing it. */
export const workScreens = [
  ['/', Attention],
  ['/search', Search],
  ['/objects/:id', ObjectScreen],
  ['/approvals', Approvals],
  ['/commands', CommandList],
  ['/commands/:name', CommandScreen],
  ['/audit-log', AuditLog],
] as const
