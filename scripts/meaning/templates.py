"""Sentences as people write them to an assistant, with slots: {kind}, {kind/s} plural, {kind/a} with an article, {kind/ing}.

A slot is one of WordNet's kinds of nouns, `verb`, `adj`, or a list below.
"""

# ---- Lists of everyday things that a dictionary hardly has ----

THINGS = {
    "wanted": """movie;film;TV show;series;documentary;novel;book;audiobook;podcast;album;song;playlist;video game;board game;
        restaurant;cafe;bar;hotel;hostel;resort;holiday destination;beach;museum;hiking trail;national park;city break;
        road trip;cruise;flight;airline;laptop;smartphone;tablet;smartwatch;camera;headphones;speaker;television;car;
        electric car;bicycle;motorcycle;apartment;neighborhood;sofa;mattress;lamp;rug;kitchen appliance;blender;
        vacuum cleaner;dress;jacket;pair of shoes;handbag;piece of jewelry;perfume;skincare routine;shampoo;
        makeup product;haircut;birthday gift;wedding gift;toy;pet;dog breed;houseplant;workout;gym;yoga class;sport;
        diet;meal plan;recipe;breakfast;snack;dessert;cocktail;coffee;tea;wine;online course;university;
        programming language;framework;database;cloud provider;text editor;budgeting app;bank;credit card;
        insurance plan;investment;mutual fund;job;career;side hustle;hobby;craft project;language course;
        doctor;therapist;dentist;school;daycare;tutor;electrician;plumber;news source;social network;newsletter;
        concert;festival;party theme;wedding venue;date idea;family activity;weekend activity;charity;tattoo""",
    "topic": """travel;cooking;baking;fitness;nutrition;weight loss;mental health;meditation;sleep;parenting;dating;
        marriage;friendship;education;homework;exams;studying abroad;career change;job interviews;resumes;salary;
        freelancing;remote work;startups;marketing;sales;accounting;taxes;retirement;mortgages;real estate;renting;
        investing;stocks;cryptocurrency;budgeting;saving money;insurance;law;politics;elections;history;philosophy;religion;
        art;painting;photography;architecture;interior design;fashion;beauty;music;opera;jazz;hip hop;theater;dance;
        comedy;horror movies;science fiction;fantasy novels;romance novels;poetry;creative writing;blogging;journalism;
        gaming;chess;football;basketball;tennis;golf;swimming;running;cycling;hiking;climbing;skiing;surfing;yoga;
        martial arts;gardening;houseplants;pets;dog training;cats;birdwatching;fishing;hunting;camping;sailing;driving;
        car maintenance;public transport;air travel;climate change;recycling;renewable energy;sustainability;
        veganism;animal rights;technology;artificial intelligence;machine learning;programming;web development;
        databases;cybersecurity;privacy;smartphones;smart homes;robotics;space;physics;chemistry;biology;medicine;
        vaccines;allergies;diabetes;heart disease;pregnancy;childbirth;aging;disability;anxiety;depression;stress;
        time management;productivity;public speaking;leadership;team work;languages;grammar;translation;
        shopping;online shopping;luxury brands;thrift stores;home repair;cleaning;cooking for one;meal prep;
        event planning;weddings;birthdays;holidays;volunteering;military service;immigration;crime;news;weather""",
    "country": """Thailand;Japan;Italy;France;Spain;Portugal;Greece;Turkey;Egypt;Morocco;Kenya;South Africa;India;Nepal;
        China;Vietnam;Indonesia;Bali;Australia;New Zealand;Canada;Mexico;Peru;Brazil;Argentina;Chile;Cuba;Iceland;
        Norway;Sweden;Germany;Austria;Switzerland;Ireland;Scotland;England;Poland;Russia;Korea;Singapore;Hawaii;
        Alaska;New York;Paris;London;Tokyo;Rome;Barcelona;Berlin;Amsterdam;Bangkok;Dubai;Los Angeles;Chicago;
        San Francisco;Miami;Las Vegas;Boston;Seattle;Texas;Florida;California;Sydney;Toronto;Istanbul;Prague""",
    "relative": """mother;father;mom;dad;sister;brother;wife;husband;partner;girlfriend;boyfriend;son;daughter;baby;
        grandmother;grandfather;aunt;uncle;cousin;niece;nephew;best friend;roommate;neighbor;boss;colleague;teacher;
        coach;doctor;landlord;client;dog;cat;kids;parents;family;team""",
    "name": """Anna;Ben;Carla;David;Elena;Felix;Grace;Henry;Ilse;James;Kate;Liam;Maria;Noah;Olivia;Paul;Rosa;Sam;Tom;Yuki;
        Priya;Ahmed;Chen;Lucas;Sofia;Emma;Jack;Nina;Omar;Zoe""",
    "when": """yesterday;last week;last month;last year;two years ago;in March;on Monday;this weekend;next Friday;
        in the evening;every morning;every day;once a week;on Sundays;during the holidays;since childhood;right now;
        these days;after work;before breakfast;at night;in winter;in summer""",
    "coding": """function;class;method;variable;loop;array;list;dictionary;hash map;string;regular expression;API;REST endpoint;
        web server;request;response;JSON file;CSV file;database table;SQL query;index;migration;schema;transaction;
        cache;queue;thread;async call;promise;callback;unit test;integration test;test suite;build;pipeline;deployment;
        container;Docker image;Kubernetes cluster;cloud function;log file;error message;stack trace;exception;timeout;
        memory leak;race condition;bug;feature;pull request;branch;merge conflict;commit;repository;dependency;package;
        library;framework;component;form;button;modal;stylesheet;layout;login page;session token;password hash;
        authentication;authorization;rate limit;webhook;cron job;environment variable;config file;command line tool;
        script;parser;compiler;type error;null pointer;null check;linter;formatter;data pipeline;machine learning model;
        training set;neural network;chart;dashboard;spreadsheet;report;invoice;ticket;milestone;sprint;backlog""",
    "language": """Python;JavaScript;TypeScript;Java;Rust;Go;C++;Ruby;PHP;Swift;Kotlin;SQL;Bash;React;Vue;Django;Flask;Node;
        Spring;Rails;Postgres;MySQL;MongoDB;Redis;Docker;Git;AWS;Linux;Excel;HTML;CSS""",
}
THINGS = {name: [word.strip() for word in words.split(";")] for name, words in THINGS.items()}

# ---- Everyday words of WordNet's kinds, which count for several of the dictionary's ----

COMMON = {
    "food": """peanuts;nuts;almonds;shellfish;shrimp;fish;seafood;sushi;beef;pork;bacon;chicken;meat;dairy;milk;cheese;
        butter;yogurt;eggs;gluten;wheat;bread;pasta;rice;noodles;pizza;burgers;salad;soup;vegetables;spinach;mushrooms;
        onions;garlic;tomatoes;potatoes;cilantro;olives;avocado;fruit;bananas;strawberries;mango;pineapple;chocolate;
        candy;sugar;cake;ice cream;honey;coffee;caffeine;tea;alcohol;beer;wine;soda;juice;spicy food;fast food;
        fried food;processed food;raw food;street food;leftovers;tofu;soy;beans;lentils;curry;tacos;vinegar;mayonnaise""",
    "act": """running;jogging;swimming;cycling;hiking;climbing;yoga;pilates;dancing;boxing;skiing;surfing;golf;tennis;
        football;camping;fishing;gardening;cooking;baking;knitting;painting;drawing;singing;writing;reading;shopping;
        driving;flying;traveling;commuting;cleaning;studying;teaching;volunteering;gambling;drinking;smoking;dieting;
        fasting;meditation;networking;public speaking;small talk;online dating;video calls;group projects;overtime""",
    "state": """asthma;a peanut allergy;a nut allergy;lactose intolerance;celiac disease;diabetes;high blood pressure;
        arthritis;back pain;migraines;insomnia;anxiety;depression;vertigo;motion sickness;claustrophobia;a fear of heights;
        a heart condition;sensitive skin;eczema;acne;hay fever;dyslexia;color blindness;hearing loss;a bad knee;
        a broken arm;chronic pain;a weak immune system;debt;unemployment;loneliness;burnout;a tight budget""",
    "person": """nurse;teacher;engineer;software developer;designer;lawyer;doctor;chef;waiter;student;musician;writer;
        photographer;accountant;manager;salesperson;mechanic;pilot;farmer;vegan;vegetarian;Muslim;Christian;Jew;
        Buddhist;atheist;veteran;single parent;introvert;night owl;minimalist;beginner;freelancer;retiree;gamer""",
}
COMMON = {name: [word.strip() for word in words.split(";")] for name, words in COMMON.items()}

ADJECTIVES = [
    word.strip()
    for word in """cheap;expensive;affordable;luxury;budget-friendly;quiet;loud;crowded;peaceful;modern;traditional;
    vintage;local;international;popular;famous;hidden;romantic;family-friendly;kid-friendly;pet-friendly;healthy;
    organic;vegan;vegetarian;gluten-free;halal;kosher;spicy;sweet;sustainable;eco-friendly;cruelty-free;second-hand;
    handmade;wireless;portable;lightweight;durable;fast;slow;simple;complex;short;long;detailed;formal;casual;funny;
    serious;scary;violent;animated;foreign;classic;new;old;big;small;colorful;dark;bright;warm;cold;indoor;outdoor;
    active;relaxing;adventurous;safe;dangerous;open-source;free;premium;professional;creative;technical;historical;
    political;religious;educational;interactive;online;in-person;weekly;daily;late-night;early-morning;seasonal""".split(";")
]

# ---- The templates ----

TEMPLATES = [
    line.strip()
    for line in """
I'm allergic to {food}.
I have a severe allergy to {food}, so I have to avoid it.
I don't eat {food}.
I can't stand {food}.
I hate the taste of {food} and never order it.
I love {food} and have it {when}.
I stopped eating {food} for health reasons.
My {relative} can't eat {food}.
My doctor told me to avoid {food} because of {state}.
I prefer {food} to {food}.
I always put {food} in my {food}.
I had {food} with {food} {when}.
I only buy {adjective} {food}.
I follow a strict diet without {food}.
What can I cook with {food} and {food}?
Where can I find good {food} in {country}?
Can you suggest {a} recipe with {food}?
What goes well with {food}?
Which dishes should I try in {country}?
What should I make for dinner tonight?
Can you plan a week of lunches for my {relative}?
Is {food} good for people with {state}?
Any ideas for {adjective} breakfast with {food}?
We're having a dinner party; what should I serve besides {food}?
I have a pet {animal}.
I'm afraid of {animal/s}.
My {animal} is called {name}.
We adopted {animal/a} {when}.
I saw {animal/a} in {country}.
I don't want anything made from {animal/s}.
What does {animal/a} eat?
How do I take care of {animal/a}?
Which {animal} would be a good pet for my {relative}?
I need a new {artifact}.
My {artifact} broke {when}.
I don't like using {artifact/a}.
I collect old {artifact/s}.
I bought {artifact/a} for my {relative}.
I refuse to own {artifact/a}.
I always carry {artifact/a} with me.
We sold our {artifact} {when}.
Which {artifact} should I buy?
How do I fix {artifact/a}?
How much does {artifact/a} cost?
What is the best {artifact} for {act}?
What's the difference between {artifact/a} and {artifact/a}?
Could you help me choose {artifact/a} for my {artifact}?
I enjoy {act} {when}.
I gave up {act} {when}.
I'm not interested in {act}.
I find {act} boring and prefer {act}.
I can't do {act} because of {state}.
I've been into {act} {when}.
My {relative} got me into {act}.
I want to get better at {act}.
I tried {act} in {country} and loved it.
I strongly dislike {act}.
I avoid {act} at all costs.
I feel uncomfortable with {act}.
Any tips for getting started with {act}?
How can I get better at {act}?
What should I know before I try {act}?
Can you recommend a good place for {act} in {country}?
What are some fun activities for {when}?
What equipment do I need for {act}?
Is {act} better than {act} for beginners?
I'm studying {cognition}.
I don't believe in {cognition}.
I believe in {cognition}.
I wrote my thesis about {cognition}.
I've never understood {cognition}.
Can you explain {cognition} to me?
What is the connection between {cognition} and {cognition}?
Where can I learn more about {cognition}?
Tell me about the history of {cognition}.
I like reading {communication/s}.
I prefer {communication/s} over {communication/s}.
I wrote {communication/a} {when}.
Please don't send me {communication/s}.
Can you write {communication/a} for my {relative}?
How do I write {communication/a}?
What did the {communication} say?
I work as {person/a}.
I am {person/a}.
I used to be {person/a}.
My {relative} is {person/a}.
My {relative} works as {person/a} in {country}.
I want to become {person/a}.
I don't trust {person/s}.
I met {person/a} {when}.
How do I become {person/a}?
What does {person/a} earn?
What gift would {person/a} like?
How should I talk to {person/a} about {topic}?
I grew up in {place}.
I moved to {country} {when}.
I live in {place} with my {relative}.
I've always wanted to visit {country}.
I never want to go back to {country}.
My {relative} comes from {country}.
I'm planning a trip to {country}; what should I see?
What's the best time to visit {place}?
How do I get from {place} to {country}?
Can you recommend {adjective} hotels in {country}?
Can you plan an itinerary for a week in {country}?
What should I pack for {country}?
What are the must-see places in {country}?
How is the nightlife in {country}?
I suffer from {state}.
I have {state}.
I was diagnosed with {state} {when}.
My {relative} has {state}.
Because of {state} I can't do {act}.
Since the {state} I avoid {act}.
What helps against {state}?
How do I deal with {state}?
What are the signs of {state}?
Can {act} help with {state}?
My {body} hurts.
I injured my {body} {when}.
I had surgery on my {body}.
What exercises are good for the {body}?
I grow {plant} in my garden.
I have {plant} on my balcony.
Pollen from {plant} makes me sneeze.
How often do I water {plant}?
I joined {group/a}.
I left the {group} {when}.
I support the {group}.
I don't agree with the {group}.
What does the {group} do?
I inherited {possession/a}.
I don't invest in {possession}.
I save {possession} for my {relative}.
How does {possession} work?
Should I invest in {possession}?
How can I reduce my {possession}?
I feel {feeling} about {topic}.
My {feeling} is about {act}.
How do I cope with {feeling}?
I value {attribute}.
I care more about {attribute} than {attribute}.
{attribute} matters most to me in {wanted/a}.
How can I improve my {attribute}?
I was at {event/a} {when}.
We're organizing {event/a} for my {relative}.
I don't like going to {event/s}.
What should I wear to {event/a}?
How should we prepare for {event/a}?
I experienced {phenomenon} {when}.
What causes {phenomenon}?
I can't wear {substance}.
I try to avoid products with {substance}.
What is {substance} used for?
How does {process} work?
I have {quantity} of {possession}.
The {time} was hard for me.
Please {verb} it for me.
I always {verb} {when}.
I never {verb}.
I don't want to {verb} anymore.
I'd rather {verb} than {verb}.
I like to {verb} with my {relative}.
My {relative} wants to {verb}.
How do I {verb}?
What's the best way to {verb} {artifact/a}?
Should I {verb} or {verb}?
Can you help me {verb} my {artifact}?
I'm looking for something {adj}.
I prefer {adj} {wanted/s}.
I feel {adj} {when}.
The {wanted} was {adj}.
It should be {adj} and {adjective}.
My {relative} is very {adj}.
Can you recommend {wanted/a}?
Can you recommend some {adjective} {wanted/s}?
What {wanted} would you suggest for my {relative}?
I'm looking for {adjective} {wanted/s}, any suggestions?
What are the best {wanted/s} in {country}?
What are some {adjective} {wanted/s} for {person/s}?
Which {wanted} is right for me?
How do I choose {wanted/a}?
I need help finding {wanted/a} for {event/a}.
What are some popular {wanted/s} at the moment?
I don't like {adjective} {wanted/s}.
I only like {adjective} {wanted/s}.
I refuse to pay for {wanted/a}.
I avoid {wanted/s} that are too {adj}.
I would never choose {wanted/a} with {artifact/a}.
I prefer {wanted/s} about {topic}.
I always choose the {adjective} {wanted}.
I've been saving for {wanted/a} {when}.
My favorite {wanted} is about {cognition}.
I love {topic}.
I'm not a fan of {topic}.
I have strong opinions about {topic}.
I don't want to talk about {topic}.
I spend a lot of time on {topic}.
I work in {topic}.
My {relative} knows a lot about {topic}.
I'm passionate about {topic} and {topic}.
I believe {topic} is a waste of time.
Give me some advice on {topic}.
What should I know about {topic}?
Can you give me tips for {topic}?
How do I get started with {topic}?
What are the latest trends in {topic}?
How is {topic} related to {topic}?
What books about {topic} should I read?
What are good resources to learn {topic}?
Can you help me with {topic}?
I'm worried about {topic}.
Let's talk about {topic}.
I need to prepare {communication/a} about {topic}.
Please answer in {adjective} sentences.
Please keep the answers {adj} and {adjective}.
From now on, always use {adjective} examples when you talk about {topic}.
When I ask about {topic}, include {attribute}.
Never mention {topic} again.
Don't use {communication/s} in your answers.
Always explain {coding/s} with {communication/s}.
My name is {name} and I'm {person/a}.
My {relative} {name} lives in {country}.
{name} said that the {artifact} is {adj}.
{name} and I went to {country} {when}.
{name} is learning {topic}.
{name} bought {artifact/a} {when}.
What did {name} say about {topic}?
When did {name} go to {country}?
What does {name} do for a living?
What kind of {artifact} does {name} have?
How long has {name} been into {act}?
Why does {name} like {act}?
Where did {name} meet the {person}?
What is my {relative} called?
When is my {event}?
How many {artifact/s} do I have?
Which {wanted} did I pick in the end?
What was the reason for the {event}?
Did I tell you about my {relative}?
How old is my {relative}?
The deadline for the {communication} is {when}.
My appointment with the {person} is {when}.
I have a meeting about the {coding} {when}.
I'm writing {coding/a} in {language}.
The {coding} fails with {coding/a}.
How do I write {coding/a} in {language}?
Why does my {coding} throw {coding/a}?
I use {language} for my {coding}.
I prefer {language} to {language}.
Please use {language}, not {language}.
How do I connect {language} to {coding/a}?
Can you review this {coding}?
I added {coding/a} and fixed the {coding}.
Let's refactor the {coding} before we add {coding/a}.
How can I improve the performance of {coding/a}?
The {coding} depends on the {coding}.
We need {coding/a} for the {communication}.
What version of {language} am I using?
How many {coding/s} does the project have?
How do I test {coding/a}?
What's the best way to structure {coding/a} in {language}?
The team decided to use {language} for the {coding}.
I'm building an app for {topic} with {language}.
Sure, here are some {adjective} {wanted/s} for you.
Here is a plan for {topic}: start with {act}, then {act}.
You could try {act}, {act} or {act}.
I'd recommend {wanted/a} in {country}.
That sounds like {adj} {event}.
For {state}, it helps to {verb} and avoid {food}.
To {verb}, you need {artifact/a}.
Thanks for the tips about {topic}.
I agree, {act} is {adj}.
How was the {event}?
What are you up to {when}?
Do you like {food}?
Have you ever been to {country}?
Have you tried {act}?
I miss my {relative}.
Congratulations on your {event}!
""".strip().splitlines()
]
TEMPLATES = [line.replace("{a} recipe", "a recipe") for line in TEMPLATES]
