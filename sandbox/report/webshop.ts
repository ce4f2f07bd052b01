/** A request of the simulated shop. Its timer is named after its action: "Homepage.1". */
export interface RequestModel {
  method: 'GET' | 'POST'
  path: string
  contentType: string
  /** Median in milliseconds. */
  median: number
  /** Spread of the times: 0.2 is little, 0.5 much. */
  sigma: number
  /** Mean size of the response in bytes. */
  bytes: number
}

export interface ActionModel {
  name: string
  label: string
  /** The first is the page itself; the others follow in parallel. */
  requests: RequestModel[]
  /** Share of the transactions that do it; default 1. */
  share?: number
  /** A custom timer around one part of the action, and its median in milliseconds. */
  customTimer?: { name: string; median: number }
}

export interface TransactionModel {
  name: string
  className: string
  label: string
  users: number
  actions: ActionModel[]
}

export const shopAddress = 'https://shop.example.com'

/** Satisfied up to this many milliseconds, tolerating up to four times as many. */
export const apdexThreshold = 500

const html = 'text/html'
const json = 'application/json'
const asset = { method: 'GET', sigma: 0.22 } as const

function page(path: string, median: number, bytes: number, method: 'GET' | 'POST' = 'GET'): RequestModel {
  return { method, path, contentType: html, median, sigma: 0.3, bytes }
}

function call(path: string, median: number, bytes: number, method: 'GET' | 'POST' = 'GET'): RequestModel {
  return { method, path, contentType: json, median, sigma: 0.28, bytes }
}

const stylesheet: RequestModel = {
  ...asset,
  path: '/static/shop.css',
  contentType: 'text/css',
  median: 34,
  bytes: 18_400,
}
const hero: RequestModel = {
  ...asset,
  path: '/static/hero.webp',
  contentType: 'image/webp',
  median: 58,
  bytes: 61_000,
}

const homepage: ActionModel = {
  name: 'Homepage',
  label: 'homepage',
  requests: [page('/', 172, 27_500), stylesheet, hero],
}
const category: ActionModel = {
  name: 'SelectCategory',
  label: 'catalog',
  requests: [page('/category/posters', 214, 33_000), call('/api/facets', 88, 5_200)],
}
const product: ActionModel = {
  name: 'ViewProduct',
  label: 'catalog',
  requests: [page('/product/1042', 196, 24_000), call('/api/recommendations', 126, 7_800)],
}
const search: ActionModel = {
  name: 'Search',
  label: 'search',
  requests: [page('/search', 288, 30_500), call('/api/suggest', 64, 2_100)],
  customTimer: { name: 'SearchIndexLookup', median: 46 },
}
const addToCart: ActionModel = {
  name: 'AddToCart',
  label: 'cart',
  requests: [call('/cart/add', 148, 1_900, 'POST'), call('/api/minicart', 72, 2_600)],
  customTimer: { name: 'CartRecalculation', median: 38 },
}
const viewCart: ActionModel = { name: 'ViewCart', label: 'cart', requests: [page('/cart', 182, 21_000)] }
const startCheckout: ActionModel = {
  name: 'StartCheckout',
  label: 'checkout',
  requests: [page('/checkout', 236, 19_500), call('/api/session', 54, 900)],
}
const shipping: ActionModel = {
  name: 'ShippingAddress',
  label: 'checkout',
  requests: [page('/checkout/shipping', 264, 17_800, 'POST')],
}
const payment: ActionModel = {
  name: 'PaymentMethod',
  label: 'checkout',
  requests: [page('/checkout/payment', 318, 18_200, 'POST')],
}
const placeOrder: ActionModel = {
  name: 'PlaceOrder',
  label: 'order',
  requests: [page('/checkout/order', 604, 15_400, 'POST'), call('/api/order-status', 92, 1_200)],
}
const register: ActionModel = {
  name: 'Register',
  label: 'account',
  requests: [page('/account/register', 342, 16_900, 'POST')],
}

/** What the simulated users of the simulated shop do. */
export const webshop: readonly TransactionModel[] = [
  {
    name: 'TBrowse',
    className: 'com.example.webshop.loadtest.TBrowse',
    label: 'anonymous',
    users: 9,
    actions: [homepage, category, product, { ...product, share: 0.6 }],
  },
  {
    name: 'TSearch',
    className: 'com.example.webshop.loadtest.TSearch',
    label: 'anonymous',
    users: 6,
    actions: [homepage, search, { ...search, share: 0.3 }, product],
  },
  {
    name: 'TAddToCart',
    className: 'com.example.webshop.loadtest.TAddToCart',
    label: 'anonymous',
    users: 6,
    actions: [homepage, category, product, addToCart, viewCart],
  },
  {
    name: 'TCheckout',
    className: 'com.example.webshop.loadtest.TCheckout',
    label: 'registered',
    users: 5,
    actions: [homepage, category, product, addToCart, viewCart, startCheckout, shipping, payment, placeOrder],
  },
  {
    name: 'TRegister',
    className: 'com.example.webshop.loadtest.TRegister',
    label: 'registered',
    users: 2,
    actions: [homepage, register],
  },
]
