//! The words by which seven languages name times, and how one is looked up.
//!
//! The lists are written in lower case and without accents (`ç` is a letter of its own), as [`Hash`] reads a word. They are
//! there for the compiler only: the program holds a hash of each word and what it means.

/// What a word says about time. Months count from 1, weekdays from 0 (Monday), seasons from 0 (spring).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A month by a word that means nothing else.
    Month(i8),
    /// A month by a word that is a person's name too, means something else in another language, or is short.
    NamedMonth(i8),
    /// A month by a word that is a verb too, unless it is capitalised.
    VerbMonth(i8),
    Weekday(i8),
    /// A weekday by a word that is an ordinal too.
    NumberedWeekday(i8),
    /// What makes of an ordinal a weekday.
    Feira,
    Season(i8),
    /// A season by a word that says "in" by itself.
    InSeason(i8),
    Unit(Unit),
    /// What makes of a week its end.
    End,
    Number(i8),
    /// What makes of a number an ordinal.
    Ordinal,
    /// A day, counted from today.
    Day(i8),
    /// The same, by a word that is common in another language.
    DoubtfulDay(i8),
    /// What makes of yesterday the day before it.
    Other,
    Part(Part),
    /// A part of a day that is counted from today.
    DayPart(i8, Part),
    Last,
    This,
    Next,
    /// Behind a stretch of time.
    Ago,
    /// Before a stretch of time.
    AgoFirst,
    Since,
    Before,
    After,
    Until,
    To,
    Between,
    And,
    Preposition,
    Determiner,
    /// Nothing about time: it only shows what language a text is in.
    Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
}

use crate::recall::text::hash;
use Part::{Afternoon, Evening, Morning, Night};
use Word::{
    After, Ago, AgoFirst, And, Before, Between, Common, Day, DayPart, Determiner, DoubtfulDay, End,
    Feira, InSeason, Last, Month, NamedMonth, Next, Number, NumberedWeekday, Ordinal, Other,
    Preposition, Season, Since, This, To, Until, VerbMonth, Weekday,
};

pub(super) const LANGUAGES: usize = 7;
pub(super) const ENGLISH: usize = 0;
pub(super) const RUSSIAN: usize = 6;
/// The languages in which what modifies a noun stands behind it too: French, Spanish, Portuguese, Italian.
pub(super) const MODIFIED_BEHIND: std::ops::RangeInclusive<usize> = 2..=5;

type List = &'static [(Word, &'static str)];

const LISTS: [List; LANGUAGES] =
    [ENGLISH_WORDS, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN_WORDS];

const ENGLISH_WORDS: List = &[
    (Month(1), "january"),
    (NamedMonth(1), "jan"),
    (Month(2), "february"),
    (NamedMonth(2), "feb"),
    (VerbMonth(3), "march"),
    (NamedMonth(3), "mar"),
    (NamedMonth(4), "april apr"),
    (VerbMonth(5), "may"),
    (NamedMonth(6), "june jun"),
    (Month(7), "july"),
    (NamedMonth(7), "jul"),
    (NamedMonth(8), "august aug"),
    (Month(9), "september"),
    (NamedMonth(9), "sept sep"),
    (Month(10), "october"),
    (NamedMonth(10), "oct"),
    (Month(11), "november"),
    (NamedMonth(11), "nov"),
    (Month(12), "december"),
    (NamedMonth(12), "dec"),
    (Weekday(0), "monday"),
    (Weekday(1), "tuesday tues"),
    (Weekday(2), "wednesday"),
    (Weekday(3), "thursday thurs"),
    (Weekday(4), "friday"),
    (Weekday(5), "saturday"),
    (Weekday(6), "sunday"),
    (Season(0), "spring springtime"),
    (Season(1), "summer summertime"),
    (Season(2), "autumn fall"),
    (Season(3), "winter wintertime"),
    (Word::Unit(Unit::Day), "day days"),
    (Word::Unit(Unit::Week), "week weeks"),
    (Word::Unit(Unit::Weekend), "weekend weekends"),
    (Word::Unit(Unit::Month), "month months"),
    (Word::Unit(Unit::Year), "year years"),
    (Number(1), "a an one"),
    (Number(2), "two"),
    (Number(3), "three"),
    (Number(4), "four"),
    (Number(5), "five"),
    (Number(6), "six"),
    (Number(7), "seven"),
    (Number(8), "eight"),
    (Number(9), "nine"),
    (Number(10), "ten"),
    (Number(11), "eleven"),
    (Number(12), "twelve"),
    (Ordinal, "st nd rd th"),
    (Day(-1), "yesterday"),
    (Day(0), "today"),
    (Word::Part(Morning), "morning"),
    (Word::Part(Afternoon), "afternoon"),
    (Word::Part(Evening), "evening"),
    (Word::Part(Night), "night"),
    (DayPart(0, Evening), "tonight"),
    (Last, "last past previous"),
    (This, "this"),
    (Next, "next coming"),
    (Ago, "ago"),
    (Since, "since"),
    (Before, "before"),
    (After, "after"),
    (Until, "until till"),
    (To, "to through"),
    (Between, "between"),
    (And, "and or"),
    (Preposition, "in on of during from by around for early late mid"),
    (Determiner, "the that"),
    (
        Common,
        "what when who where why how did do does is was were we i you he she it about with not",
    ),
];

const GERMAN: List = &[
    (Month(1), "januar janner"),
    (NamedMonth(1), "jan"),
    (Month(2), "februar"),
    (NamedMonth(2), "feb"),
    (Month(3), "marz"),
    (NamedMonth(3), "mrz"),
    (NamedMonth(4), "april apr"),
    (NamedMonth(5), "mai"),
    (Month(6), "juni"),
    (Month(7), "juli"),
    (NamedMonth(8), "august aug"),
    (Month(9), "september"),
    (NamedMonth(9), "sept sep"),
    (Month(10), "oktober"),
    (NamedMonth(10), "okt"),
    (Month(11), "november"),
    (NamedMonth(11), "nov"),
    (Month(12), "dezember"),
    (NamedMonth(12), "dez"),
    (Weekday(0), "montag"),
    (Weekday(1), "dienstag"),
    (Weekday(2), "mittwoch"),
    (Weekday(3), "donnerstag"),
    (Weekday(4), "freitag"),
    (Weekday(5), "samstag sonnabend"),
    (Weekday(6), "sonntag"),
    (Season(0), "fruhling fruhjahr fruhlings fruhjahrs"),
    (Season(1), "sommer sommers"),
    (Season(2), "herbst herbstes"),
    (Season(3), "winter winters"),
    (Word::Unit(Unit::Day), "tag tage tagen"),
    (Word::Unit(Unit::Week), "woche wochen"),
    (Word::Unit(Unit::Weekend), "wochenende wochenenden"),
    (Word::Unit(Unit::Month), "monat monate monaten monats"),
    (Word::Unit(Unit::Year), "jahr jahre jahren jahres"),
    (Number(1), "ein eine einem einen einer"),
    (Number(2), "zwei"),
    (Number(3), "drei"),
    (Number(4), "vier"),
    (Number(5), "funf"),
    (Number(6), "sechs"),
    (Number(7), "sieben"),
    (Number(8), "acht"),
    (Number(9), "neun"),
    (Number(10), "zehn"),
    (Number(11), "elf"),
    (Number(12), "zwolf"),
    (Ordinal, "te ten"),
    (Day(-2), "vorgestern"),
    (Day(-1), "gestern"),
    (Day(0), "heute"),
    (Word::Part(Morning), "morgen fruh vormittag"),
    (Word::Part(Afternoon), "nachmittag"),
    (Word::Part(Evening), "abend"),
    (Word::Part(Night), "nacht"),
    (
        Last,
        "letzte letzten letzter letztes letztem vorige vorigen voriger voriges vorigem vergangene \
         vergangenen vergangener vergangenes vergangenem",
    ),
    (This, "diese diesen dieser dieses diesem"),
    (Next, "nachste nachsten nachster nachstes nachstem kommende kommenden kommender kommendes"),
    (Since, "seit"),
    (Before, "vor"),
    (After, "nach"),
    (Until, "bis"),
    (Between, "zwischen"),
    (And, "und oder"),
    (Preposition, "in im am an vom von ab anfang mitte ende wahrend"),
    (Determiner, "der die das den dem des"),
    (
        Common,
        "was wann wer wo warum wie haben hat habe ist war wir ich du er sie es uber mit nicht hier",
    ),
];

const FRENCH: List = &[
    (Month(1), "janvier"),
    (NamedMonth(1), "janv"),
    (Month(2), "fevrier"),
    (NamedMonth(2), "fevr"),
    (NamedMonth(3), "mars"),
    (Month(4), "avril"),
    (NamedMonth(5), "mai"),
    (Month(6), "juin"),
    (Month(7), "juillet"),
    (NamedMonth(7), "juil"),
    (Month(8), "aout"),
    (Month(9), "septembre"),
    (Month(10), "octobre"),
    (NamedMonth(10), "oct"),
    (Month(11), "novembre"),
    (NamedMonth(11), "nov"),
    (Month(12), "decembre"),
    (NamedMonth(12), "dec"),
    (Weekday(0), "lundi"),
    (Weekday(1), "mardi"),
    (Weekday(2), "mercredi"),
    (Weekday(3), "jeudi"),
    (Weekday(4), "vendredi"),
    (Weekday(5), "samedi"),
    (Weekday(6), "dimanche"),
    (Season(0), "printemps"),
    (Season(1), "ete"),
    (Season(2), "automne"),
    (Season(3), "hiver"),
    (Word::Unit(Unit::Day), "jour jours"),
    (Word::Unit(Unit::Week), "semaine semaines"),
    (Word::Unit(Unit::Weekend), "weekend week"),
    (End, "end"),
    (Word::Unit(Unit::Month), "mois"),
    (Word::Unit(Unit::Year), "an ans annee annees"),
    (Number(1), "un une"),
    (Number(2), "deux"),
    (Number(3), "trois"),
    (Number(4), "quatre"),
    (Number(5), "cinq"),
    (Number(6), "six"),
    (Number(7), "sept"),
    (Number(8), "huit"),
    (Number(9), "neuf"),
    (Number(10), "dix"),
    (Number(11), "onze"),
    (Number(12), "douze"),
    (Ordinal, "er"),
    (DoubtfulDay(-1), "hier"),
    (Day(0), "aujourd"),
    (Word::Part(Morning), "matin matinee"),
    (Word::Part(Afternoon), "midi"),
    (Word::Part(Evening), "soir soiree"),
    (Word::Part(Night), "nuit"),
    (Last, "dernier derniere derniers dernieres passe passee passes passees"),
    (This, "ce cet cette ces"),
    (Next, "prochain prochaine prochains prochaines"),
    (AgoFirst, "y"),
    (Since, "depuis"),
    (Before, "avant"),
    (After, "apres"),
    (Until, "jusqu"),
    (To, "a au"),
    (Between, "entre"),
    (And, "et ou"),
    (Preposition, "en de du d dans pendant durant debut fin vers"),
    (Determiner, "le la l les"),
    (
        Common,
        "que quoi quand qui pourquoi comment est sont nous vous je tu il elle on avons ai as pas avec sur",
    ),
];

const SPANISH: List = &[
    (Month(1), "enero"),
    (Month(2), "febrero"),
    (Month(3), "marzo"),
    (Month(4), "abril"),
    (NamedMonth(5), "mayo"),
    (Month(6), "junio"),
    (NamedMonth(7), "julio"),
    (Month(8), "agosto"),
    (Month(9), "septiembre setiembre"),
    (Month(10), "octubre"),
    (Month(11), "noviembre"),
    (Month(12), "diciembre"),
    (Weekday(0), "lunes"),
    (Weekday(1), "martes"),
    (Weekday(2), "miercoles"),
    (Weekday(3), "jueves"),
    (Weekday(4), "viernes"),
    (Weekday(5), "sabado"),
    (Weekday(6), "domingo"),
    (Season(0), "primavera"),
    (Season(1), "verano"),
    (Season(2), "otono"),
    (Season(3), "invierno"),
    (Word::Unit(Unit::Day), "dia dias"),
    (Word::Unit(Unit::Week), "semana semanas"),
    (End, "fin fines"),
    (Word::Unit(Unit::Month), "mes meses"),
    (Word::Unit(Unit::Year), "ano anos"),
    (Number(1), "un una"),
    (Number(2), "dos"),
    (Number(3), "tres"),
    (Number(4), "cuatro"),
    (Number(5), "cinco"),
    (Number(6), "seis"),
    (Number(7), "siete"),
    (Number(8), "ocho"),
    (Number(9), "nueve"),
    (Number(10), "diez"),
    (Number(11), "once"),
    (Number(12), "doce"),
    (Day(-2), "anteayer antier"),
    (Day(-1), "ayer"),
    (Day(0), "hoy"),
    (Word::Part(Morning), "manana"),
    (Word::Part(Afternoon), "tarde"),
    (Word::Part(Night), "noche"),
    (DayPart(-1, Night), "anoche"),
    (Last, "pasado pasada pasados pasadas ultimo ultima ultimos ultimas"),
    (This, "este esta estos estas"),
    (Next, "proximo proxima proximos proximas"),
    (AgoFirst, "hace"),
    (Ago, "atras"),
    (Since, "desde"),
    (Before, "antes"),
    (After, "despues tras"),
    (Until, "hasta"),
    (To, "a al"),
    (Between, "entre"),
    (And, "y o e"),
    (Preposition, "en de del durante por principios mediados finales"),
    (Determiner, "el la los las"),
    (Common, "que cuando quien donde como es son fue era hemos yo tu nosotros con no sobre se lo"),
];

const PORTUGUESE: List = &[
    (Month(1), "janeiro"),
    (Month(2), "fevereiro"),
    (Month(3), "março"),
    (Month(4), "abril"),
    (Month(5), "maio"),
    (Month(6), "junho"),
    (Month(7), "julho"),
    (Month(8), "agosto"),
    (Month(9), "setembro"),
    (Month(10), "outubro"),
    (Month(11), "novembro"),
    (Month(12), "dezembro"),
    (NumberedWeekday(0), "segunda"),
    (NumberedWeekday(1), "terça terca"),
    (NumberedWeekday(2), "quarta"),
    (NumberedWeekday(3), "quinta"),
    (NumberedWeekday(4), "sexta"),
    (Feira, "feira"),
    (Weekday(5), "sabado"),
    (Weekday(6), "domingo"),
    (Season(0), "primavera"),
    (Season(1), "verao"),
    (Season(2), "outono"),
    (Season(3), "inverno"),
    (Word::Unit(Unit::Day), "dia dias"),
    (Word::Unit(Unit::Week), "semana semanas"),
    (End, "fim final"),
    (Word::Unit(Unit::Month), "mes meses"),
    (Word::Unit(Unit::Year), "ano anos"),
    (Number(1), "um uma"),
    (Number(2), "dois duas"),
    (Number(3), "tres"),
    (Number(4), "quatro"),
    (Number(5), "cinco"),
    (Number(6), "seis"),
    (Number(7), "sete"),
    (Number(8), "oito"),
    (Number(9), "nove"),
    (Number(10), "dez"),
    (Number(11), "onze"),
    (Number(12), "doze"),
    (Day(-2), "anteontem"),
    (Day(-1), "ontem"),
    (Day(0), "hoje"),
    (Word::Part(Morning), "manha"),
    (Word::Part(Afternoon), "tarde"),
    (Word::Part(Night), "noite"),
    (Last, "passado passada passados passadas ultimo ultima ultimos ultimas"),
    (This, "este esta neste nesta deste desta esse essa nesse nessa"),
    (Next, "proximo proxima proximos proximas"),
    (AgoFirst, "ha"),
    (Ago, "atras"),
    (Since, "desde"),
    (Before, "antes"),
    (After, "depois apos"),
    (Until, "ate"),
    (To, "a ao"),
    (Between, "entre"),
    (And, "e ou"),
    (Preposition, "em no na nos nas de do da durante inicio meados"),
    (Determiner, "o os as"),
    (Common, "que quando quem onde como porque foi era sao nao eu voce com sobre se isso"),
];

const ITALIAN: List = &[
    (Month(1), "gennaio"),
    (NamedMonth(1), "gen"),
    (Month(2), "febbraio"),
    (Month(3), "marzo"),
    (Month(4), "aprile"),
    (Month(5), "maggio"),
    (Month(6), "giugno"),
    (Month(7), "luglio"),
    (Month(8), "agosto"),
    (Month(9), "settembre"),
    (Month(10), "ottobre"),
    (Month(11), "novembre"),
    (Month(12), "dicembre"),
    (Weekday(0), "lunedi"),
    (Weekday(1), "martedi"),
    (Weekday(2), "mercoledi"),
    (Weekday(3), "giovedi"),
    (Weekday(4), "venerdi"),
    (Weekday(5), "sabato"),
    (Weekday(6), "domenica"),
    (Season(0), "primavera"),
    (Season(1), "estate"),
    (Season(2), "autunno"),
    (Season(3), "inverno"),
    (Word::Unit(Unit::Day), "giorno giorni"),
    (Word::Unit(Unit::Week), "settimana settimane"),
    (Word::Unit(Unit::Weekend), "weekend"),
    (End, "fine"),
    (Word::Unit(Unit::Month), "mese mesi"),
    (Word::Unit(Unit::Year), "anno anni"),
    (Number(1), "un una uno"),
    (Number(2), "due"),
    (Number(3), "tre"),
    (Number(4), "quattro"),
    (Number(5), "cinque"),
    (Number(6), "sei"),
    (Number(7), "sette"),
    (Number(8), "otto"),
    (Number(9), "nove"),
    (Number(10), "dieci"),
    (Number(11), "undici"),
    (Number(12), "dodici"),
    (Day(-2), "avantieri"),
    (Other, "altro"),
    (Day(-1), "ieri"),
    (Day(0), "oggi"),
    (Word::Part(Morning), "mattina mattino"),
    (Word::Part(Afternoon), "pomeriggio"),
    (Word::Part(Evening), "sera"),
    (Word::Part(Night), "notte"),
    (DayPart(0, Morning), "stamattina stamani stamane"),
    (DayPart(0, Evening), "stasera"),
    (DayPart(-1, Night), "stanotte"),
    (Last, "scorso scorsa scorsi scorse passato passata ultimo ultima ultimi ultime"),
    (This, "questo questa quest questi queste"),
    (Next, "prossimo prossima prossimi prossime"),
    (Ago, "fa"),
    (Since, "da dal dalla dall"),
    (Before, "prima"),
    (After, "dopo"),
    (Until, "fino"),
    (To, "a al alla"),
    (Between, "tra fra"),
    (And, "e o"),
    (Preposition, "in nel nella nell nello di del della dell d durante inizio meta"),
    (Determiner, "il lo la l i gli le"),
    (Common, "che cosa quando chi dove come perche abbiamo ho hai ha io tu noi non con su si"),
];

const RUSSIAN_WORDS: List = &[
    (Month(1), "январь января январе январю январем"),
    (Month(2), "февраль февраля феврале февралю февралем"),
    (Month(3), "март марте мартом"),
    (NamedMonth(3), "марта марту"),
    (Month(4), "апрель апреля апреле апрелю апрелем"),
    (Month(5), "май мая мае маю маем"),
    (Month(6), "июнь июня июне июню июнем"),
    (Month(7), "июль июля июле июлю июлем"),
    (Month(8), "август августа августе августу августом"),
    (Month(9), "сентябрь сентября сентябре сентябрю сентябрем"),
    (Month(10), "октябрь октября октябре октябрю октябрем"),
    (Month(11), "ноябрь ноября ноябре ноябрю ноябрем"),
    (Month(12), "декабрь декабря декабре декабрю декабрем"),
    (Weekday(0), "понедельник понедельника понедельнику понедельником"),
    (Weekday(1), "вторник вторника вторнику вторником"),
    (NumberedWeekday(2), "среда среду среды среде"),
    (Weekday(3), "четверг четверга четвергу четвергом"),
    (Weekday(4), "пятница пятницу пятницы пятнице"),
    (Weekday(5), "суббота субботу субботы субботе"),
    (Weekday(6), "воскресенье воскресенья воскресенью"),
    (Season(0), "весна весны весне весну"),
    (Season(1), "лето лета лете лету"),
    (Season(2), "осень осени"),
    (Season(3), "зима зимы зиме зиму"),
    (InSeason(0), "весной"),
    (InSeason(1), "летом"),
    (InSeason(2), "осенью"),
    (InSeason(3), "зимой"),
    (Word::Unit(Unit::Day), "день дня дней дни"),
    (Word::Unit(Unit::Week), "неделя недели недель неделю неделе неделей"),
    (Word::Unit(Unit::Weekend), "выходные выходных выходным"),
    (Word::Unit(Unit::Month), "месяц месяца месяцев месяцы месяце"),
    (Word::Unit(Unit::Year), "год года году лет годы годом"),
    (Number(1), "один одну одна"),
    (Number(2), "два две"),
    (Number(3), "три"),
    (Number(4), "четыре"),
    (Number(5), "пять"),
    (Number(6), "шесть"),
    (Number(7), "семь"),
    (Number(8), "восемь"),
    (Number(9), "девять"),
    (Number(10), "десять"),
    (Number(11), "одиннадцать"),
    (Number(12), "двенадцать"),
    (Ordinal, "го е"),
    (Day(-2), "позавчера"),
    (Day(-1), "вчера"),
    (Day(0), "сегодня"),
    (Word::Part(Morning), "утром утро утра"),
    (Word::Part(Afternoon), "днем"),
    (Word::Part(Evening), "вечером вечер вечера"),
    (Word::Part(Night), "ночью ночь ночи"),
    (
        Last,
        "прошлый прошлая прошлое прошлые прошлого прошлой прошлом прошлым прошлую прошлых последний \
         последняя последние последних последнюю",
    ),
    (This, "этот эта это эти этого этой этом этим эту этих"),
    (Next, "следующий следующая следующее следующие следующего следующей следующем следующую"),
    (Ago, "назад"),
    (Since, "с со"),
    (Before, "перед"),
    (After, "после"),
    (Until, "до"),
    (To, "по"),
    (Between, "между"),
    (And, "и или"),
    (Preposition, "в во на за от начале конце середине"),
    (Common, "что когда кто где почему как мы я ты он она был была было были о об не ли"),
];

/// A word as a number: FNV-1a of its UTF-8.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u32);

impl Hash {
    pub(super) const fn new() -> Self {
        Self(hash::START)
    }

    pub(super) const fn with(self, byte: u8) -> Self {
        Self(hash::with_byte(self.0, byte))
    }

    /// With the next character of a word, whatever its case and accents. What only carries an accent adds nothing.
    pub(super) fn with_char(self, letter: char) -> Self {
        let plain = match letter {
            'A'..='Z' => letter.to_ascii_lowercase(),
            'Ç' => 'ç',
            'À'..='Å' | 'à'..='å' => 'a',
            'È'..='Ë' | 'è'..='ë' => 'e',
            'Ì'..='Ï' | 'ì'..='ï' => 'i',
            'Ñ' | 'ñ' => 'n',
            'Ò'..='Ö' | 'ò'..='ö' => 'o',
            'Ù'..='Ü' | 'ù'..='ü' => 'u',
            'Ё' | 'ё' => 'е',
            'А'..='Я' => char::from_u32(letter as u32 + 32).unwrap_or(letter),
            '\u{300}'..='\u{36f}' => return self,
            _ => letter,
        };
        if plain.is_ascii() {
            return self.with(plain as u8);
        }
        plain.encode_utf8(&mut [0; 4]).bytes().fold(self, Self::with)
    }

    const fn bucket(self) -> usize {
        (self.0 >> 24) as usize
    }
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    language: u8,
    word: Word,
}

const BUCKETS: usize = 256;
/// How many words the lists have, counted once for each language that has it.
const ENTRIES: usize = place(&mut [], &mut [0; BUCKETS]);

/// The words ordered by the first byte of their hash, and where in that order the words of each first byte end.
static TABLE: ([Entry; ENTRIES], [u16; BUCKETS]) = {
    let mut entries = [Entry { hash: 0, language: 0, word: Common }; ENTRIES];
    let mut ends = [0; BUCKETS];
    place(&mut [], &mut ends);
    let mut bucket = 1;
    while bucket < BUCKETS {
        ends[bucket] += ends[bucket - 1];
        bucket += 1;
    }
    let mut places = [0; BUCKETS];
    let mut bucket = 1;
    while bucket < BUCKETS {
        places[bucket] = ends[bucket - 1];
        bucket += 1;
    }
    place(&mut entries, &mut places);
    (entries, ends)
};

/// Puts every word where its bucket has come to, or only counts where there is no room; returns how many words there are.
#[expect(clippy::cast_possible_truncation, reason = "there are seven languages")]
const fn place(entries: &mut [Entry], places: &mut [u16; BUCKETS]) -> usize {
    let mut total = 0;
    let mut language = 0;
    while language < LANGUAGES {
        let mut line = 0;
        while line < LISTS[language].len() {
            let (word, names) = LISTS[language][line];
            let names = names.as_bytes();
            let mut hash = Hash::new();
            let mut at = 0;
            while at <= names.len() {
                if at < names.len() && names[at] != b' ' {
                    hash = hash.with(names[at]);
                } else {
                    let bucket = hash.bucket();
                    if !entries.is_empty() {
                        let entry = Entry { hash: hash.0, language: language as u8, word };
                        entries[places[bucket] as usize] = entry;
                    }
                    places[bucket] += 1;
                    total += 1;
                    hash = Hash::new();
                }
                at += 1;
            }
            line += 1;
        }
        language += 1;
    }
    total
}

/// What a word means in a language, for each language that has it.
pub(super) fn meanings(hash: Hash) -> impl Iterator<Item = (usize, Word)> {
    let (entries, ends) = &TABLE;
    let bucket = hash.bucket();
    let first = bucket.checked_sub(1).map_or(0, |before| usize::from(ends[before]));
    let found = entries.get(first..usize::from(ends[bucket])).unwrap_or_default().iter();
    found
        .filter(move |entry| entry.hash == hash.0)
        .map(|entry| (usize::from(entry.language), entry.word))
}

#[cfg(all(test, not(target_family = "wasm")))]
pub(super) mod tests {
    use super::*;

    /// Every word of the lists.
    pub(crate) fn all() -> Vec<&'static str> {
        LISTS.iter().flat_map(|list| list.iter()).flat_map(|(_, names)| names.split(' ')).collect()
    }

    /// A name of every month in every language.
    pub(crate) fn months() -> Vec<Vec<&'static str>> {
        let of_language = |list: &List| {
            let name = |month| {
                let is_name = |word: &Word| {
                    [Month(month), NamedMonth(month), VerbMonth(month)].contains(word)
                };
                let line = list.iter().find(|(word, _)| is_name(word));
                line.and_then(|(_, names)| names.split(' ').next()).expect("a month")
            };
            (1..=12).map(name).collect()
        };
        LISTS.iter().map(of_language).collect()
    }

    fn hash(word: &str) -> Hash {
        word.chars().fold(Hash::new(), Hash::with_char)
    }

    #[test]
    fn every_word_is_found_and_has_one_meaning_in_a_language() {
        let mut hashes = std::collections::BTreeMap::new();
        for (language, list) in LISTS.iter().enumerate() {
            for (word, names) in *list {
                for name in names.split(' ') {
                    let found: Vec<_> = meanings(hash(name))
                        .filter(|(other, _)| *other == language)
                        .map(|(_, word)| word)
                        .collect();
                    assert_eq!(found, [*word], "{name}");
                    assert_eq!(*hashes.entry(hash(name).0).or_insert(name), name);
                }
            }
        }
    }

    #[test]
    fn every_language_names_all_months_weekdays_seasons_and_numbers() {
        for list in LISTS {
            let has = |word: Word| list.iter().any(|(other, _)| *other == word);
            assert!((0..7).all(|day| has(Weekday(day)) || has(NumberedWeekday(day))));
            assert!((0..4).all(|name| has(Season(name))));
            assert!((1..=12).all(|number| has(Number(number))));
        }
        assert!(months().iter().all(|names| names.len() == 12));
    }

    #[test]
    fn case_and_accents_do_not_matter() {
        for (word, plain) in [
            ("MÄRZ", "marz"),
            ("Août", "aout"),
            ("e\u{301}te\u{301}", "ete"),
            ("Ёлка", "елка"),
            ("МАЯ", "мая"),
            ("MARÇO", "março"),
        ] {
            assert_eq!(hash(word).0, hash(plain).0, "{word}");
        }
    }
}
