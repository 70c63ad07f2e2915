//! Spanish.

/// Words that say nothing about a topic.
pub(super) const STOP: &str = "\
a acá ahí ahora al algo alguien algún alguna algunas alguno algunos allá allí ambos ante antes aquel aquella aquellas \
aquello aquellos aquí así aún aunque bajo bastante bien cada casi como cómo con conmigo contigo contra cosa cosas cual \
cuál cuales cualquier cuando cuándo cuanto cuánto cuántos de debe deben del demasiado desde después donde dónde dos \
durante e el él ella ellas ello ellos en entonces entre era eran eras eres es esa esas ese eso esos esta ésta está \
estaba estaban estamos están estar estas estás este esto estos estoy estuvo fue fueron fui gracias ha había habían haber \
hace hacer hacia hago han has hasta hay haya he hemos hizo hola incluso ir jamás junto la las le les lo los luego más me \
mediante menos mi mí mía mientras mío mis misma mismo mismos mucha muchas mucho muchos muy nada nadie ni ningún ninguna \
ninguno no nos nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para pero poco porque por \
primero pude puede pueden puedes puedo pues que qué quien quién quienes se sea según ser será sería si sí sido siempre \
sin sino sobre sois solo sólo somos son soy su sus suya suyo tal también tampoco tan tanto te tendrá tenemos tener tengo \
ti tiene tienen tienes toda todas todavía todo todos tras tu tú tus tuve tuvo u un una unas uno unos usted ustedes va \
vamos varios vez voy vosotros y ya yo";

/// Words of a request that only say what to do with the hits.
pub(super) const REQUEST: &str = "\
ayudar ayuda buscar busca charla comentar comparar contar cuenta cuéntame conversación decir dicho dice dijo dime describir \
describe discutir discusión encontrar encuentra enumerar explicar explica hablar hablamos hablado lista listar mencionar \
mensaje mostrar muestra opinión opinar pasó pensar piensa pregunta querer quiero recordar recuerda recuerdas recuérdame \
repasar responder resumen resumir resume saber sabes tema";

/// Words that ask for an overview, an opinion or a reason. A star matches any ending.
pub(super) const OVERVIEW: &str = "\
resum*, discut*, discusi*, piensa*, pensa*, opin*, dijo, dijeron, dicho, decidi*, decisi*, decide*, por qué, porqué, cómo \
fue, cómo es que, cómo llegamos, explic*, razón, razones, motivo*, argument*, propuest*, propus*, propon*, suger*, \
describ*, conclu*, punto de vista, qué pasó, panorama*, recomend*, repas*, debat*";

/// Beginnings of questions.
pub(super) const QUESTION: &str = "\
qué, quién, quiénes, cuándo, dónde, adónde, cómo, cuál, cuáles, cuánto, cuánta, cuántos, cuántas, por qué, a qué, de qué, \
con quién, para qué, puedes, puede usted, podrías, sabes, sabe, hay algún, hay alguna, tienes, recuerdas, debo";

/// Phrases of standing instructions and preferences. `^` is the beginning of a sentence.
pub(super) const STANDING: &str = "\
^siempre, ^nunca, ^por favor siempre, ^por favor nunca, ^recuerda, ^recuerde, ^llamame, ^llameme, ^cada vez, a \
partir de ahora, de ahora en adelante, desde ahora, en el futuro, en adelante, prefiero, preferiria, mi preferencia, \
no me gusta, no me gustan, quiero siempre, quiero que siempre, cuando te pregunte, cuando pregunte, cuando pregunto, \
cada vez que, debes siempre, siempre debes";

/// Words before a colon that label a line as lasting: "Rule: no tabs".
pub(super) const LABELS: &str = "\
regla, reglas, restriccion, restricciones, requisito, requisitos, norma, convencion, hecho, hechos, preferencia, \
preferencias, objetivo, objetivos, decision, plazo, limite, importante, recuerda";

/// Phrases that correct an earlier statement.
pub(super) const CORRECTION: &str = "\
se movio a, se paso a, se cambio a, movido a, ahora es, ahora son, ahora tengo, ahora tenemos, ha cambiado, han \
cambiado, cambie de opinion, he cambiado de opinion, ya no, pospuesto, aplazado, reprogramado, me equivoque, nunca \
he";

/// First person singular. Excludes "we", which includes others.
pub(super) const ASKER: &str = "yo, me, mi, mis, mio, mia";

/// Phrases that ask for words of an earlier answer.
pub(super) const SAID: &str = "\
dijiste, recomendaste, sugeriste, mencionaste, explicaste, has dicho, me has";

/// Other phrases that ask for an earlier answer.
pub(super) const ANSWERED: &str = "\
me dijiste, me recomendaste, me sugeriste, me dijo usted, tu consejo, tus consejos, tu respuesta, tu sugerencia, tu \
recomendacion, su consejo, su respuesta, su recomendacion";

/// Other phrases that ask for something said or done earlier.
pub(super) const RECORDED: &str = "\
dije, te dije, te conte, te mencione, he dicho, he mencionado, he contado, alguna vez he, nuestra conversacion, \
nuestras conversaciones, recuerdame, recuerdeme";
