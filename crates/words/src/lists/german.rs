//! German.

/// Words that say nothing about a topic.
pub(super) const STOP: &str = "\
ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus außer bei \
beim bereits bin bis bist bitte da dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darf darin \
darüber darum das dass davon dazu dein deine deinem deinen deiner dem den denen denn dennoch der deren des deshalb \
dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch durfte dürfen eben ein eine einem einen \
einer eines einige einigen einiger einmal er es etwa etwas euch euer eure eurem euren eurer für gab ganz gar geht gegen \
gehabt genau gewesen gibt habe haben habt halt hat hatte hatten hattest hätte hätten her hier hin hinter ich ihm ihn \
ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jedoch jemand jene jener jetzt kann \
kannst kein keine keinem keinen keiner könnt könnte können konnte konnten lassen mache machen macht mal man manche mehr \
mein meine meinem meinen meiner mich mir mit muss müssen musste nach nachdem ne nein nicht nichts noch nun nur ob oder \
oft ohne schon sehr sei seid sein seine seinem seinen seiner seit selbst sich sie sind so sogar solche soll sollen \
sollte sollten sondern sonst sowie um und uns unser unsere unserem unseren unserer unter viel viele vielleicht vom von \
vor wann war waren warst warum was weder wegen weil welche welchem welchen welcher welches wem wen wenn wenig wer werde \
werden werdet weshalb wie wieder wieso will wir wird wirst wo wohin wollen wollte wollten womit woran worden worin worüber wozu wofür wurde wurden würde \
würden während zu zum zur zwar zwischen über";

/// Words of a request that only say what to do with the hits.
pub(super) const REQUEST: &str = "\
antworten auflisten beschreiben besprechen besprochen besprachen diskutieren diskutiert diskussion entschieden erinnern \
erklären erläutern erwähnen erwähnt erzählen fassen finden frage fragen gesagt gesprochen geredet gemeint geschehen \
gespräch gib hilf liste meinen meinung meinte nachricht nennen passiert reden sagen sag sagte schreiben sprechen suche \
suchen thema überblick vergleichen verstehen weiß wissen zeige zeigen zusammen zusammenfassen zusammenfassung";

/// Words that ask for an overview, an opinion or a reason. A star matches any ending.
pub(super) const OVERVIEW: &str = "\
zusammenfass*, fasse, fass, überblick*, diskut*, diskussion*, besprech*, besproch*, meinung*, meint, meinte*, denkt, \
denken, dachte*, hält von, halten von, hielt von, gesagt, sagte*, entscheid*, entschied*, beschluss, beschlüsse*, warum, \
wieso, weshalb, wie kam, wie kommt, wie ist es, erklär*, erläuter*, grund, gründe*, begründ*, argument*, vorschlag*, \
vorschläg*, vorgeschlagen*, beschreib*, ansicht*, haltung, standpunkt*, schlussfolger*, was ist passiert";

/// Beginnings of questions.
pub(super) const QUESTION: &str = "\
was, wer, wen, wem, wessen, wann, wo, wohin, woher, warum, wieso, weshalb, weswegen, wie, welche, welcher, welches, \
welchen, welchem, womit, wofür, wozu, worüber, kannst du, können sie, könntest du, könnten sie, hast du, haben wir, \
habt ihr, gibt es, weißt du, wissen sie, ist das, sind das, soll ich, sollen wir, darf ich";

/// Phrases of standing instructions and preferences. `^` is the beginning of a sentence.
pub(super) const STANDING: &str = "\
^immer, ^nie, ^niemals, ^bitte immer, ^bitte nie, ^bitte niemals, ^kunftig, ^zukunftig, ^nenn mich, ^nenne mich, \
^merk dir, ^merke dir, ^merken sie sich, ^denk daran, ^denke daran, ^jedes mal, ab jetzt, ab sofort, von nun an, von \
jetzt an, in zukunft, ich bevorzuge, ich ziehe es vor, mir ist lieber, mir ware lieber, ich mag lieber, ich hatte \
lieber, ich mochte lieber, ich mochte immer, ich will immer, ich mag kein, ich mag keine, immer wenn ich, jedes mal \
wenn ich, wenn ich dich, wenn ich sie frage, sollst immer, sollst nie, sollten immer";

/// Words before a colon that label a line as lasting: "Rule: no tabs".
pub(super) const LABELS: &str = "\
regel, regeln, vorgabe, vorgaben, bedingung, bedingungen, anforderung, anforderungen, richtlinie, konvention, fakt, \
fakten, vorliebe, vorlieben, ziel, ziele, entscheidung, frist, grenze, wichtig, merke";

/// Phrases that correct an earlier statement.
pub(super) const CORRECTION: &str = "\
verschoben auf, wurde verschoben, ist jetzt, sind jetzt, haben jetzt, geandert auf, hat sich geandert, haben sich \
geandert, meine meinung geandert, nicht mehr, vertagt, vorverlegt, ich habe mich geirrt, ich habe mich vertan, ich \
habe noch nie, ich habe nie";

/// First person singular. Excludes "we", which includes others.
pub(super) const ASKER: &str = "ich, mich, mir, mein, meine, meinen, meinem, meiner, meines";

/// Phrases that ask for words of an earlier answer.
pub(super) const SAID: &str = "\
du meintest, du sagtest";

/// Other phrases that ask for an earlier answer.
pub(super) const ANSWERED: &str = "\
hast du, haben sie, du hast, hattest du, dein rat, dein vorschlag, deine antwort, deine empfehlung, deine vorschlage, \
ihr rat, ihr vorschlag, ihre antwort, ihre empfehlung";

/// Other phrases that ask for something said or done earlier.
pub(super) const RECORDED: &str = "\
habe ich gesagt, habe ich dir, habe ich ihnen, habe ich erwahnt, habe ich schon, habe ich bereits, habe ich je, habe \
ich jemals, hatte ich, war ich, ich gesagt, ich erwahnt, ich erzahlt, sagte ich, erwahnte ich, unser gesprach, unserem \
gesprach, unseren gesprachen, erinnere mich, erinner mich, hast du gesagt, hast du empfohlen, hast du vorgeschlagen, \
hast du erwahnt, haben sie gesagt, haben sie empfohlen, haben sie vorgeschlagen";
