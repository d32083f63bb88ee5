/** The merchants' dashboard: built by Vite, served by the gateway. */
export { type Application, assetFile, dashboardDocument, firstLoad, requireBuilt } from './assets.ts'
export { OWNERS_ONLY, RULES } from './browser/parts/rights.ts'
export { build } from './build.ts'
