/**
 * Names of the time zone database (public domain), grouped by what their clocks are called today: offset in minutes and
 * abbreviation, then those of summer where there is one.
 */
export const ZONE_NAMES: Readonly<Record<string, string>> = {
  '-120=-02': 'America/Noronha Atlantic/South_Georgia Brazil/DeNoronha Etc/GMT+2',
  '-120=-02 -60=-01': 'America/Godthab America/Nuuk America/Scoresbysund',
  '-180=-03':
    'America/Araguaina America/Argentina/Buenos_Aires America/Argentina/Catamarca America/Argentina/ComodRivadavia' +
    ' America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/La_Rioja America/Argentina/Mendoza' +
    ' America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis' +
    (' America/Argentina/Tucuman America/Argentina/Ushuaia America/Asuncion America/Bahia America/Belem ' +
      'America/Buenos_Aires') +
    (' America/Catamarca America/Cayenne America/Cordoba America/Coyhaique America/Fortaleza America/Jujuy ' +
      'America/Maceio America/Mendoza') +
    (' America/Montevideo America/Paramaribo America/Punta_Arenas America/Recife America/Rosario ' +
      'America/Santarem America/Sao_Paulo') +
    ' Antarctica/Palmer Antarctica/Rothera Atlantic/Stanley Brazil/East Etc/GMT+3',
  '-180=-03 -120=-02': 'America/Miquelon',
  '-210=NST -150=NDT': 'America/St_Johns Canada/Newfoundland',
  '-240=-04':
    'America/Boa_Vista America/Campo_Grande America/Caracas America/Cuiaba America/Guyana America/La_Paz ' +
    'America/Manaus' +
    ' America/Porto_Velho Brazil/West Etc/GMT+4',
  '-240=-04 -180=-03': 'America/Santiago Chile/Continental',
  '-240=AST':
    'America/Anguilla America/Antigua America/Aruba America/Barbados America/Blanc-Sablon America/Curacao ' +
    'America/Dominica' +
    (' America/Grenada America/Guadeloupe America/Kralendijk America/Lower_Princes America/Marigot ' +
      'America/Martinique America/Montserrat') +
    (' America/Port_of_Spain America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy ' +
      'America/St_Kitts America/St_Lucia') +
    ' America/St_Thomas America/St_Vincent America/Tortola America/Virgin',
  '-240=AST -180=ADT':
    'America/Glace_Bay America/Goose_Bay America/Halifax America/Moncton America/Thule Atlantic/Bermuda ' +
    'Canada/Atlantic',
  '-300=-05':
    'America/Bogota America/Eirunepe America/Guayaquil America/Lima America/Porto_Acre America/Rio_Branco ' +
    'Brazil/Acre Etc/GMT+5',
  '-300=CST -240=CDT': 'America/Havana Cuba',
  '-300=EST':
    'America/Atikokan America/Cancun America/Cayman America/Coral_Harbour America/Jamaica America/Panama EST Jamaica',
  '-300=EST -240=EDT':
    'America/Detroit America/Fort_Wayne America/Grand_Turk America/Indiana/Indianapolis America/Indiana/Marengo' +
    (' America/Indiana/Petersburg America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac ' +
      'America/Indianapolis') +
    (' America/Iqaluit America/Kentucky/Louisville America/Kentucky/Monticello America/Louisville ' +
      'America/Montreal America/Nassau') +
    (' America/New_York America/Nipigon America/Pangnirtung America/Port-au-Prince America/Thunder_Bay ' +
      'America/Toronto Canada/Eastern') +
    ' EST5EDT US/East-Indiana US/Eastern US/Michigan',
  '-360=-06': 'Etc/GMT+6 Pacific/Galapagos',
  '-360=-06 -300=-05': 'Chile/EasterIsland Pacific/Easter',
  '-360=CST':
    'America/Bahia_Banderas America/Belize America/Chihuahua America/Costa_Rica America/El_Salvador ' +
    'America/Guatemala America/Managua' +
    (' America/Merida America/Mexico_City America/Monterrey America/Regina America/Swift_Current ' +
      'America/Tegucigalpa Canada/Saskatchewan') +
    ' Mexico/General',
  '-360=CST -300=CDT':
    'America/Chicago America/Indiana/Knox America/Indiana/Tell_City America/Knox_IN America/Matamoros ' +
    'America/Menominee' +
    (' America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem ' +
      'America/Ojinaga America/Rainy_River') +
    ' America/Rankin_Inlet America/Resolute America/Winnipeg CST6CDT Canada/Central US/Central US/Indiana-Starke',
  '-420=-07': 'Etc/GMT+7',
  '-420=MST':
    'America/Creston America/Dawson America/Dawson_Creek America/Fort_Nelson America/Hermosillo ' +
    'America/Mazatlan America/Phoenix' +
    ' America/Whitehorse Canada/Yukon MST Mexico/BajaSur US/Arizona',
  '-420=MST -360=MDT':
    'America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Denver America/Edmonton ' +
    'America/Inuvik America/Shiprock' +
    ' America/Yellowknife Canada/Mountain MST7MDT Navajo US/Mountain',
  '-480=-08': 'Etc/GMT+8 Pacific/Pitcairn',
  '-480=PST -420=PDT':
    'America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana America/Vancouver ' +
    'Canada/Pacific Mexico/BajaNorte' +
    ' PST8PDT US/Pacific',
  '-540=-09': 'Etc/GMT+9 Pacific/Gambier',
  '-540=AKST -480=AKDT':
    'America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka America/Yakutat US/Alaska',
  '-570=-0930': 'Pacific/Marquesas',
  '-600=-10': 'Etc/GMT+10 Pacific/Rarotonga Pacific/Tahiti',
  '-600=HST': 'HST Pacific/Honolulu Pacific/Johnston US/Hawaii',
  '-600=HST -540=HDT': 'America/Adak America/Atka US/Aleutian',
  '-60=-01': 'Atlantic/Cape_Verde Etc/GMT+1',
  '-60=-01 0=+00': 'Atlantic/Azores',
  '-660=-11': 'Etc/GMT+11 Pacific/Niue',
  '-660=SST': 'Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa',
  '-720=-12': 'Etc/GMT+12',
  '0=+00 120=+02': 'Antarctica/Troll',
  '0=-00': 'Factory',
  '0=GMT':
    'Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry Africa/Dakar ' +
    'Africa/Freetown Africa/Lome' +
    (' Africa/Monrovia Africa/Nouakchott Africa/Ouagadougou Africa/Sao_Tome Africa/Timbuktu ' +
      'America/Danmarkshavn Atlantic/Reykjavik') +
    ' Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland',
  '0=GMT 60=BST': 'Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB GB-Eire',
  '0=UTC': 'Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu',
  '0=WET 60=WEST': 'Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon Portugal WET',
  '120=+02': 'Etc/GMT-2',
  '120=CAT':
    'Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum ' +
    'Africa/Kigali Africa/Lubumbashi' +
    ' Africa/Lusaka Africa/Maputo Africa/Windhoek',
  '120=EET': 'Africa/Tripoli Europe/Kaliningrad Libya',
  '120=EET 180=EEST':
    'Africa/Cairo Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia EET Egypt Europe/Athens ' +
    'Europe/Bucharest' +
    (' Europe/Chisinau Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia Europe/Riga ' +
      'Europe/Sofia Europe/Tallinn') +
    ' Europe/Tiraspol Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye',
  '120=IST 180=IDT': 'Asia/Jerusalem Asia/Tel_Aviv Israel',
  '120=SAST': 'Africa/Johannesburg Africa/Maseru Africa/Mbabane',
  '180=+03':
    'Antarctica/Syowa Asia/Aden Asia/Amman Asia/Baghdad Asia/Bahrain Asia/Damascus Asia/Istanbul ' +
    'Asia/Kuwait Asia/Qatar Asia/Riyadh' +
    ' Etc/GMT-3 Europe/Istanbul Europe/Minsk Turkey',
  '180=EAT':
    'Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala ' +
    'Africa/Mogadishu Africa/Nairobi' +
    ' Indian/Antananarivo Indian/Comoro Indian/Mayotte',
  '180=MSK': 'Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU',
  '210=+0330': 'Asia/Tehran Iran',
  '240=+04':
    'Asia/Baku Asia/Dubai Asia/Muscat Asia/Tbilisi Asia/Yerevan Etc/GMT-4 Europe/Astrakhan Europe/Samara ' +
    'Europe/Saratov' +
    ' Europe/Ulyanovsk Indian/Mahe Indian/Mauritius Indian/Reunion',
  '270=+0430': 'Asia/Kabul',
  '300=+05':
    'Antarctica/Mawson Antarctica/Vostok Asia/Almaty Asia/Aqtau Asia/Aqtobe Asia/Ashgabat Asia/Ashkhabad ' +
    'Asia/Atyrau Asia/Dushanbe' +
    (' Asia/Oral Asia/Qostanay Asia/Qyzylorda Asia/Samarkand Asia/Tashkent Asia/Yekaterinburg Etc/GMT-5 ' +
      'Indian/Kerguelen Indian/Maldives'),
  '300=PKT': 'Asia/Karachi',
  '330=+0530': 'Asia/Colombo',
  '330=IST': 'Asia/Calcutta Asia/Kolkata',
  '345=+0545': 'Asia/Kathmandu Asia/Katmandu',
  '360=+06':
    'Asia/Bishkek Asia/Dacca Asia/Dhaka Asia/Kashgar Asia/Omsk Asia/Thimbu Asia/Thimphu Asia/Urumqi ' +
    'Etc/GMT-6 Indian/Chagos',
  '390=+0630': 'Asia/Rangoon Asia/Yangon Indian/Cocos',
  '420=+07':
    'Antarctica/Davis Asia/Bangkok Asia/Barnaul Asia/Ho_Chi_Minh Asia/Hovd Asia/Krasnoyarsk ' +
    'Asia/Novokuznetsk Asia/Novosibirsk' +
    ' Asia/Phnom_Penh Asia/Saigon Asia/Tomsk Asia/Vientiane Etc/GMT-7 Indian/Christmas',
  '420=WIB': 'Asia/Jakarta Asia/Pontianak',
  '480=+08':
    'Antarctica/Casey Asia/Brunei Asia/Choibalsan Asia/Irkutsk Asia/Kuala_Lumpur Asia/Kuching ' +
    'Asia/Singapore Asia/Ulaanbaatar' +
    ' Asia/Ulan_Bator Etc/GMT-8 Singapore',
  '480=AWST': 'Australia/Perth Australia/West',
  '480=CST': 'Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei PRC ROC',
  '480=HKT': 'Asia/Hong_Kong Hongkong',
  '480=PST': 'Asia/Manila',
  '480=WITA': 'Asia/Makassar Asia/Ujung_Pandang',
  '525=+0845': 'Australia/Eucla',
  '540=+09': 'Asia/Chita Asia/Dili Asia/Khandyga Asia/Yakutsk Etc/GMT-9 Pacific/Palau',
  '540=JST': 'Asia/Tokyo Japan',
  '540=KST': 'Asia/Pyongyang Asia/Seoul ROK',
  '540=WIT': 'Asia/Jayapura',
  '570=ACST': 'Australia/Darwin Australia/North',
  '570=ACST 630=ACDT': 'Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna',
  '600=+10':
    'Antarctica/DumontDUrville Asia/Ust-Nera Asia/Vladivostok Etc/GMT-10 Pacific/Chuuk Pacific/Port_Moresby ' +
    'Pacific/Truk Pacific/Yap',
  '600=AEST': 'Australia/Brisbane Australia/Lindeman Australia/Queensland',
  '600=AEST 660=AEDT':
    'Antarctica/Macquarie Australia/ACT Australia/Canberra Australia/Currie Australia/Hobart ' +
    'Australia/Melbourne Australia/NSW' +
    ' Australia/Sydney Australia/Tasmania Australia/Victoria',
  '600=ChST': 'Pacific/Guam Pacific/Saipan',
  '60=+01': 'Africa/Casablanca Africa/El_Aaiun Etc/GMT-1',
  '60=CET': 'Africa/Algiers Africa/Tunis',
  '60=CET 120=CEST':
    'Africa/Ceuta Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam Europe/Andorra ' +
    'Europe/Belgrade Europe/Berlin' +
    (' Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar ' +
      'Europe/Ljubljana') +
    (' Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica ' +
      'Europe/Prague Europe/Rome') +
    (' Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane Europe/Vaduz ' +
      'Europe/Vatican Europe/Vienna') +
    ' Europe/Warsaw Europe/Zagreb Europe/Zurich MET Poland',
  '60=IST 0=GMT': 'Eire Europe/Dublin',
  '60=WAT':
    'Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville ' +
    'Africa/Luanda Africa/Malabo' +
    ' Africa/Ndjamena Africa/Niamey Africa/Porto-Novo',
  '630=+1030 660=+11': 'Australia/LHI Australia/Lord_Howe',
  '660=+11':
    'Asia/Magadan Asia/Sakhalin Asia/Srednekolymsk Etc/GMT-11 Pacific/Bougainville Pacific/Efate ' +
    'Pacific/Guadalcanal Pacific/Kosrae' +
    ' Pacific/Noumea Pacific/Pohnpei Pacific/Ponape',
  '660=+11 720=+12': 'Pacific/Norfolk',
  '720=+12':
    'Asia/Anadyr Asia/Kamchatka Etc/GMT-12 Kwajalein Pacific/Fiji Pacific/Funafuti Pacific/Kwajalein ' +
    'Pacific/Majuro Pacific/Nauru' +
    ' Pacific/Tarawa Pacific/Wake Pacific/Wallis',
  '720=NZST 780=NZDT': 'Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland',
  '765=+1245 825=+1345': 'NZ-CHAT Pacific/Chatham',
  '780=+13': 'Etc/GMT-13 Pacific/Apia Pacific/Enderbury Pacific/Fakaofo Pacific/Kanton Pacific/Tongatapu',
  '840=+14': 'Etc/GMT-14 Pacific/Kiritimati',
};
