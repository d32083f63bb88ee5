import type { SqlExecutor } from '../../database/sql.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Runtime } from './context.ts'

/** The time that a restored database has forgotten: from its last known change to the restore. */
export interface ForgottenTime {
  readonly from: Date
  readonly to: Date
}

/** What a domain does before its part of a database that was restored to an earlier point is served again. */
export interface RestoreDeclaration {
  /** When the last change of its own was made that the database knows of; null: there is none. Of all domains the latest counts. */
  lastChange?(db: SqlExecutor): Promise<Date | null>
  /**
   * Secures what the database has against what it has forgotten, without asking a provider: what may have been done since is not done
   * again, and what was given out since is not given out again. In one transaction with all domains, with the rights of the tables'
   * owner, while no process serves. Returns a sentence for each thing that operators are to know.
   */
  secure?(db: SqlExecutor, forgotten: ForgottenTime, settings: Settings): Promise<readonly string[]>
  /**
   * Asks the providers about the forgotten time, and stores what they know and the database does not. It costs and changes nothing at
   * them, and can be repeated. Returns a sentence for each such thing. @throws where a provider does not answer
   */
  compare?(runtime: Runtime, forgotten: ForgottenTime): Promise<readonly string[]>
}
