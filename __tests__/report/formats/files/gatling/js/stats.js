var stats = {
    type: "GROUP",
name: "All Requests",
path: "",
pathFormatted: "group_missing-name--1146707516",
stats: {
    "name": "All Requests",
    "numberOfRequests": {
        "total": "320",
        "ok": "312",
        "ko": "8"
    },
    "minResponseTime": {
        "total": "5",
        "ok": "5",
        "ko": "8"
    },
    "maxResponseTime": {
        "total": "544",
        "ok": "544",
        "ko": "18"
    },
    "meanResponseTime": {
        "total": "24",
        "ok": "25",
        "ko": "12"
    },
    "standardDeviation": {
        "total": "59",
        "ok": "60",
        "ko": "3"
    },
    "percentiles1": {
        "total": "12",
        "ok": "12",
        "ko": "12"
    },
    "percentiles2": {
        "total": "26",
        "ok": "27",
        "ko": "14"
    },
    "percentiles3": {
        "total": "41",
        "ok": "41",
        "ko": "18"
    },
    "percentiles4": {
        "total": "532",
        "ok": "532",
        "ko": "18"
    },
    "meanNumberOfRequestsPerSecond": {
        "total": "106.67",
        "ok": "104",
        "ko": "2.67"
    }
},
contents: {
"group_visit-82664747": {
          type: "GROUP",
name: "Visit",
path: "Visit",
pathFormatted: "group_visit-82664747",
stats: {
    "name": "Visit",
    "numberOfRequests": {
        "total": "80",
        "ok": "72",
        "ko": "8"
    },
    "minResponseTime": {
        "total": "37",
        "ok": "37",
        "ko": "45"
    },
    "maxResponseTime": {
        "total": "646",
        "ok": "646",
        "ko": "78"
    },
    "meanResponseTime": {
        "total": "85",
        "ok": "88",
        "ko": "59"
    },
    "standardDeviation": {
        "total": "124",
        "ok": "130",
        "ko": "10"
    },
    "percentiles1": {
        "total": "54",
        "ok": "54",
        "ko": "64"
    },
    "percentiles2": {
        "total": "64",
        "ok": "63",
        "ko": "65"
    },
    "percentiles3": {
        "total": "577",
        "ok": "577",
        "ko": "78"
    },
    "percentiles4": {
        "total": "646",
        "ok": "646",
        "ko": "78"
    },
    "meanNumberOfRequestsPerSecond": {
        "total": "26.67",
        "ok": "24",
        "ko": "2.67"
    }
},
contents: {
"group_buy-67174": {
          type: "GROUP",
name: "Buy",
path: "Visit / Buy",
pathFormatted: "group_visit---buy--1633646656",
stats: {
    "name": "Buy",
    "numberOfRequests": {
        "total": "80",
        "ok": "72",
        "ko": "8"
    },
    "minResponseTime": {
        "total": "6",
        "ok": "6",
        "ko": "8"
    },
    "maxResponseTime": {
        "total": "51",
        "ok": "51",
        "ko": "18"
    },
    "meanResponseTime": {
        "total": "12",
        "ok": "12",
        "ko": "12"
    },
    "standardDeviation": {
        "total": "7",
        "ok": "7",
        "ko": "3"
    },
    "percentiles1": {
        "total": "11",
        "ok": "11",
        "ko": "12"
    },
    "percentiles2": {
        "total": "14",
        "ok": "14",
        "ko": "14"
    },
    "percentiles3": {
        "total": "22",
        "ok": "22",
        "ko": "18"
    },
    "percentiles4": {
        "total": "51",
        "ok": "51",
        "ko": "18"
    },
    "meanNumberOfRequestsPerSecond": {
        "total": "26.67",
        "ok": "24",
        "ko": "2.67"
    }
},
contents: {
"req_cart-2092864": {
        type: "REQUEST",
        name: "Cart",
path: "Visit / Buy / Cart",
pathFormatted: "req_visit---buy---c-1137265905",
stats: {
    "name": "Cart",
    "numberOfRequests": {
        "total": "80",
        "ok": "72",
        "ko": "8"
    },
    "minResponseTime": {
        "total": "6",
        "ok": "6",
        "ko": "8"
    },
    "maxResponseTime": {
        "total": "51",
        "ok": "51",
        "ko": "18"
    },
    "meanResponseTime": {
        "total": "12",
        "ok": "12",
        "ko": "12"
    },
    "standardDeviation": {
        "total": "7",
        "ok": "7",
        "ko": "3"
    },
    "percentiles1": {
        "total": "11",
        "ok": "11",
        "ko": "12"
    },
    "percentiles2": {
        "total": "14",
        "ok": "14",
        "ko": "14"
    },
    "percentiles3": {
        "total": "22",
        "ok": "22",
        "ko": "18"
    },
    "percentiles4": {
        "total": "51",
        "ok": "51",
        "ko": "18"
    },
    "meanNumberOfRequestsPerSecond": {
        "total": "26.67",
        "ok": "24",
        "ko": "2.67"
    }
}
    }
}

    },"req_product--a---b--1611817721": {
        type: "REQUEST",
        name: "Product &quot;A&quot;, B's <é>",
path: "Visit / Product &quot;A&quot;, B's <é>",
pathFormatted: "req_visit---product--1852931873",
stats: {
    "name": "Product &quot;A&quot;, B's <é>",
    "numberOfRequests": {
        "total": "80",
        "ok": "80",
        "ko": "0"
    },
    "minResponseTime": {
        "total": "21",
        "ok": "21",
        "ko": "-"
    },
    "maxResponseTime": {
        "total": "74",
        "ok": "74",
        "ko": "-"
    },
    "meanResponseTime": {
        "total": "35",
        "ok": "35",
        "ko": "-"
    },
    "standardDeviation": {
        "total": "11",
        "ok": "11",
        "ko": "-"
    },
    "percentiles1": {
        "total": "33",
        "ok": "33",
        "ko": "-"
    },
    "percentiles2": {
        "total": "38",
        "ok": "39",
        "ko": "-"
    },
    "percentiles3": {
        "total": "68",
        "ok": "68",
        "ko": "-"
    },
    "percentiles4": {
        "total": "74",
        "ok": "74",
        "ko": "-"
    },
    "meanNumberOfRequestsPerSecond": {
        "total": "26.67",
        "ok": "26.67",
        "ko": "-"
    }
}
    }
}

     },"req_home-2255103": {
        type: "REQUEST",
        name: "Home",
path: "Home",
pathFormatted: "req_home-2255103",
stats: {
    "name": "Home",
    "numberOfRequests": {
        "total": "80",
        "ok": "80",
        "ko": "0"
    },
    "minResponseTime": {
        "total": "5",
        "ok": "5",
        "ko": "-"
    },
    "maxResponseTime": {
        "total": "69",
        "ok": "69",
        "ko": "-"
    },
    "meanResponseTime": {
        "total": "12",
        "ok": "12",
        "ko": "-"
    },
    "standardDeviation": {
        "total": "9",
        "ok": "9",
        "ko": "-"
    },
    "percentiles1": {
        "total": "11",
        "ok": "11",
        "ko": "-"
    },
    "percentiles2": {
        "total": "13",
        "ok": "13",
        "ko": "-"
    },
    "percentiles3": {
        "total": "26",
        "ok": "26",
        "ko": "-"
    },
    "percentiles4": {
        "total": "69",
        "ok": "69",
        "ko": "-"
    },
    "meanNumberOfRequestsPerSecond": {
        "total": "26.67",
        "ok": "26.67",
        "ko": "-"
    }
}
    }
}

}

function fillStats(stat){
    $("#numberOfRequests").append(stat.numberOfRequests.total);
    $("#numberOfRequestsOK").a
}
