import { tryRedShares } from './red-shares.js'

tryRedShares(60)
