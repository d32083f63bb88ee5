/** The merchants' dashboard: built by Vite, served by the gateway. */
export { assetFile, dashboardDocument, firstLoad, requireBuilt } from './assets.ts'
export { build } from './build.ts'
