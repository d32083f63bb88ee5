/** The merchants' dashboard: built by Vite, served by the gateway. */
export { type Application, assetFile, dashboardDocument, firstLoad, requireBuilt } from './assets.ts'
export { build } from './build.ts'
