BEGIN TRANSACTION;
CREATE TABLE act (
	game VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	seat INTEGER, 
	door VARCHAR NOT NULL, 
	said TEXT NOT NULL, 
	events TEXT NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (game, seq), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "act" VALUES('2ojir6if',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Over","board":"Alexandros","edition":"identity-games","hours":24,"seats":["Anna","House"]}]','16b4ea47d0514328422ab7249959c2d3408260706bfa427beaa80fd3d5adf3f4');
INSERT INTO "act" VALUES('2ojir6if',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"identity-games","seats":["Anna","House"],"hands":[["temple"],["horse"]],"display":["temple","lyre"]}]','186f7524357247942e10d4d580abf635096f0bf2c588e40394741226365cb35b');
INSERT INTO "act" VALUES('2ojir6if',3,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Larissa A3-B4-C5-D4; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B4","C5","D4"],"walls":["A3-B4","B4-C5","C5-D4"],"red":0},{"type":"turn_ended","seat":0}]','19ebb0cf35335d6f6a16f83d4df1e255207595e19d30ca87ca5de29d5c92cb34');
INSERT INTO "act" VALUES('2ojir6if',4,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sestos D4-D6-C7-B8; occupy Philippi; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["D4","D6","C7","B8"],"walls":["C7-D6","B8-C7"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi"],"paid":["temple","horse"]},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"turn_ended","seat":1}]','ab46fb29a73bee205122af8cb66520f109d0085d22fed66f36974dbaa06ee2d4');
INSERT INTO "act" VALUES('2ojir6if',5,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Gordium B8-C9-D10; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Gordium","path":["B8","C9","D10"],"walls":["C9-D10"],"red":0},{"type":"turn_ended","seat":0}]','f410c5da50aed79dd41385d3b6558941eedbfd73c54e12213d6292c312a1de4b');
INSERT INTO "act" VALUES('2ojir6if',6,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Troy D10-C9; take soldier; levy soldier','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Troy","path":["D10","C9"],"walls":[],"red":0},{"type":"card_taken","seat":1,"card":"soldier"},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,6]},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"temple"}]','c343ebefda978a088e691a66c6fa5f2bb3abf30582f40184d742e7e1b993cc8a');
INSERT INTO "act" VALUES('2ojir6if',7,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Ephesus C9-D8-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["C9","D8","E9"],"walls":["C9-D8","D8-E9"],"red":0},{"type":"turn_ended","seat":0}]','612592ca954cd67768d62fc5a16c8603148e7e95fdc2db3dc6cb7e6f9ccf19de');
INSERT INTO "act" VALUES('2ojir6if',8,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sidon E9-F10-F12; draw; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Sidon","path":["E9","F10","F12"],"walls":["E9-F10"],"red":0},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"card_drawn","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1}]','cf02b5e400472c62fece5dbc5564a2357f5dd7eeacc49170fae00eab2c57b879');
INSERT INTO "act" VALUES('2ojir6if',9,'2026-11-01T12:00:00.000+00:00',0,'link','play temple; march Ephesus F12-E11-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["F12","E11","E9"],"walls":["E11-F12","E9-E11"],"red":0},{"type":"turn_ended","seat":0}]','5c472354c6f836c63c9c0fe24266d491ad7910f84faaccd68c3b1ee364f4d6a9');
INSERT INTO "act" VALUES('2ojir6if',10,'2026-11-01T12:00:00.000+00:00',1,'house','choose amphora; march Athens E9-D8-D6; occupy Byblus; levy amphora','[{"type":"card_chosen","seat":1,"card":"amphora","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Athens","path":["E9","D8","D6"],"walls":["D6-D8"],"red":0},{"type":"province_occupied","seat":1,"guards":["Byblus"],"paid":[]},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"turn_ended","seat":1}]','13a2e383bcd65b0bbd46ca358ee582b00f569e15867f02eaea87132056894002');
INSERT INTO "act" VALUES('2ojir6if',11,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Thapsacus D6-D8-D10-E11-E13-E15; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Thapsacus","path":["D6","D8","D10","E11","E13","E15"],"walls":["D8-D10","D10-E11","E11-E13","E13-E15"],"red":0},{"type":"turn_ended","seat":0}]','5a162c058c4c5f33bb54be7f09ca44a77df5d8bdf92ecdeb9bb4e7a628d45f8a');
INSERT INTO "act" VALUES('2ojir6if',12,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Babylon E15-F14-G13-H14; levy amphora; occupy Sidon','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Babylon","path":["E15","F14","G13","H14"],"walls":["E15-F14","F14-G13","G13-H14"],"red":0},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"province_occupied","seat":1,"guards":["Sidon"],"paid":[]},{"type":"turn_ended","seat":1}]','924bebff86c247c70d9efcf4683c037f652902c818e49dae3cadcdccdc92a390');
INSERT INTO "act" VALUES('2ojir6if',13,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Philae H14-I15-J14-K13; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Philae","path":["H14","I15","J14","K13"],"walls":["H14-I15","I15-J14","J14-K13"],"red":0},{"type":"turn_ended","seat":0}]','e67fa26726e781dc9e4677161ac04ba3ba9a3b82217b707c4ccdb8172b30147a');
INSERT INTO "act" VALUES('2ojir6if',14,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Uruk K13-J14-I15-H16-H18; levy temple; occupy Uruk','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Uruk","path":["K13","J14","I15","H16","H18"],"walls":["H16-I15","H16-H18"],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,10]},{"type":"province_occupied","seat":1,"guards":["Uruk"],"paid":[]},{"type":"turn_ended","seat":1}]','085b97679be03053ad5ba5a0be6832fb63faf18d423e3fd153e7f1eaa9a1499b');
INSERT INTO "act" VALUES('2ojir6if',15,'2026-11-01T12:00:00.000+00:00',0,'link','choose amphora; march Opis H18-G19-F18-E17; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":0,"target":"Opis","path":["H18","G19","F18","E17"],"walls":["G19-H18","F18-G19","E17-F18"],"red":0},{"type":"turn_ended","seat":0}]','4f920c9fc9b4098130560a728f134601291d322060f8ed24462ffe7f1a4d2aa0');
INSERT INTO "act" VALUES('2ojir6if',16,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Ecbatana E17-D18; levy horse; recall Byblus','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Ecbatana","path":["E17","D18"],"walls":["D18-E17"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,15]},{"type":"guard_recalled","seat":1,"place":"Byblus"},{"type":"turn_ended","seat":1}]','71a1f09b0283f1da73f112ad932bfdda23df753fd01b98dc8be1edfef1f4602a');
INSERT INTO "act" VALUES('2ojir6if',17,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Zadracarta D18-E19-E21; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Zadracarta","path":["D18","E19","E21"],"walls":["D18-E19","E19-E21"],"red":0},{"type":"turn_ended","seat":0}]','72fb26987904fd1a3291968c8752e68fa69d5f7e97546a0b4cedf2fcd821e9bf');
INSERT INTO "act" VALUES('2ojir6if',18,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Gabae E21-F22-G21; levy horse; occupy Bisitun','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Gabae","path":["E21","F22","G21"],"walls":["E21-F22","F22-G21"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,14]},{"type":"province_occupied","seat":1,"guards":["Bisitun"],"paid":["lyre","soldier"]},{"type":"turn_ended","seat":1}]','0904532ce940a140f1b4de1279461db05b1987bfa1d7da95053028d99e66bd52');
INSERT INTO "act" VALUES('2ojir6if',19,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Carmana G21-G23-G25; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Carmana","path":["G21","G23","G25"],"walls":["G21-G23","G23-G25"],"red":0},{"type":"turn_ended","seat":0}]','49ba26fe14beafc48aaf70599bcafb132dafe9791e7b435e908890111b2f5f45');
INSERT INTO "act" VALUES('2ojir6if',20,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Salmus G25-H24; levy horse; take amphora','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Salmus","path":["G25","H24"],"walls":["G25-H24"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,19]},{"type":"card_taken","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"lyre"}]','5061cbe88f2b075695e1a9e5cb9ffc0eb491f26e80cb9b5518c48e23658e2f36');
INSERT INTO "act" VALUES('2ojir6if',21,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Phrada H24-H26-H28; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Phrada","path":["H24","H26","H28"],"walls":["H24-H26","H26-H28"],"red":0},{"type":"turn_ended","seat":0}]','0b1697a8ca6ea0a3c0428a3aefc668ee4f392aab63b55d54d7fa7416ceaa147a');
INSERT INTO "act" VALUES('2ojir6if',22,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Taxila H28-H30; levy soldier; draw','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Taxila","path":["H28","H30"],"walls":["H28-H30"],"red":0},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,19]},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"turn_ended","seat":1}]','9a5207c065c4af62f7547f3cfaefecffca1f16ee50f0f44934031bbe2c58623c');
INSERT INTO "act" VALUES('2ojir6if',23,'2026-11-01T12:00:00.000+00:00',0,'link','play amphora; march Pura H30-I29-J28-J26; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Pura","path":["H30","I29","J28","J26"],"walls":["H30-I29","I29-J28","J26-J28"],"red":0},{"type":"turn_ended","seat":0}]','5a828a54614c7ad75e4bbcb7a0a649ce4bdc45d11cc3d92c14881623f858826b');
INSERT INTO "act" VALUES('2ojir6if',24,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Harmozia J26-J24; levy temple','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Harmozia","path":["J26","J24"],"walls":[],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,19]},{"type":"game_ended","reason":"points","winners":[1]}]','c8b89c366a0d9b683c3e62ff9d2eb09a98164266e3b49830fbd3f600fea32ceb');
INSERT INTO "act" VALUES('3dpoc2bi',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Waiting \u2013 \u00e9","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Ben","Cleo","Anna","Dirk"]}]','8dabb311dec265965ddbed6cf989ae860e32c1506a173b37431023b0eb992fbe');
INSERT INTO "act" VALUES('3dpoc2bi',2,'2026-11-01T12:00:00.000+00:00',2,'link','accept','[{"type":"seat_accepted","seat":2}]','cc594362c72bdd75a6828bbb2219631acb3a575306d371fa82e5e823dd2c8b2f');
INSERT INTO "act" VALUES('3dpoc2bi',3,'2026-11-01T12:00:00.000+00:00',0,'reply','accept','[{"type":"seat_accepted","seat":0}]','0ebe88adc79fe2ad987ca158b3cd0b3ff2aad33781df2b604a5fc3882c859c00');
INSERT INTO "act" VALUES('kt5rf4se',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Ben","Cleo","Anna"]}]','2307a70d37f4b5e710893304e7f2bdba9c8300ba1e3f92b87f2699f90daea175');
INSERT INTO "act" VALUES('kt5rf4se',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Ben","Cleo","Anna"],"hands":[["amphora"],["horse"],["temple"]],"display":["temple","lyre"]}]','7e2028750efb4ae877596a14813fd9c8c6ac1377dd31bfd3bf762dfa876bd6ab');
INSERT INTO "act" VALUES('kt5rf4se',3,'2026-11-01T12:00:00.000+00:00',0,'reply','choose lyre; march Larissa A3-B2-C3; draw; draw','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B2","C3"],"walls":["A3-B2","B2-C3"],"red":0},{"type":"card_drawn","seat":0,"card":"horse"},{"type":"card_drawn","seat":0,"card":"lyre"},{"type":"turn_ended","seat":0}]','0f7010b9eee729c49f02f16361e26d8cfd3d55a888ff73bac84f492a50ad2c0e');
INSERT INTO "act" VALUES('kt5rf4se',4,'2026-11-01T13:00:00.000+00:00',1,'link','choose temple; march Sestos C3-C5-C7-B8; occupy Philippi+Aegae; recall Aegae','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["C3","C5","C7","B8"],"walls":["C3-C5","C5-C7","B8-C7"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi","Aegae"],"paid":["temple","horse"]},{"type":"guard_recalled","seat":1,"place":"Aegae"},{"type":"turn_ended","seat":1}]','937dbaf322723f1d96c326056f2c0ce438a388462466825f1269e4255fd3fb94');
INSERT INTO "act" VALUES('g3fezuj2',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"With the house","board":"Alexandros","edition":"rio-grande","hours":12,"seats":["House","Dirk"]}]','1521517a3f09b128ee238eba65bddced6939469f7ee84d085c4fb67e51dd45b8');
INSERT INTO "act" VALUES('g3fezuj2',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["House","Dirk"],"hands":[["temple"],["lyre"]],"display":["lyre","lyre"]}]','0369e548756c985ad62fd3473e21f8db471328c07117dd672d0b06cf7789ba11');
INSERT INTO "act" VALUES('g3fezuj2',3,'2026-11-01T12:00:00.000+00:00',0,'house','choose lyre; march Larissa A3-B4-C3; occupy Aegae; take amphora','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B4","C3"],"walls":["A3-B4","B4-C3"],"red":0},{"type":"province_occupied","seat":0,"guards":["Aegae"],"paid":[]},{"type":"card_taken","seat":0,"card":"amphora"},{"type":"turn_ended","seat":0},{"type":"card_opened","card":"horse"}]','051d6dd1d2faa1756bc31c40d5551f7f90d59dd2f38d834470c061499ecb58f1');
INSERT INTO "act" VALUES('g3fezuj2',4,'2026-11-02T01:00:00.000+00:00',1,'clock','choose horse; march Perinthus C3-B4-B6; draw; draw','[{"type":"turn_timed_out","seat":1},{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Perinthus","path":["C3","B4","B6"],"walls":["B4-B6"],"red":0},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"card_drawn","seat":1,"card":"soldier"},{"type":"turn_ended","seat":1}]','890e323f8ae22993016c88404cafea31ffbf4bb9126fa1c370f9010a0771e401');
INSERT INTO "act" VALUES('g3fezuj2',5,'2026-11-02T01:00:00.000+00:00',0,'house','play amphora; march Athens B6-C7-D6; occupy Larissa; levy lyre','[{"type":"card_chosen","seat":0,"card":"amphora","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Athens","path":["B6","C7","D6"],"walls":["B6-C7","C7-D6"],"red":0},{"type":"province_occupied","seat":0,"guards":["Larissa"],"paid":[]},{"type":"taxes_levied","seat":0,"card":"lyre","gains":[6,0]},{"type":"turn_ended","seat":0}]','ad6ec976adc38f0a1574e75ecfd252bc02d6e53614ee5730c9e089ed8ad170ec');
INSERT INTO "act" VALUES('kt5rf4se',5,'2026-11-02T01:00:00.000+00:00',2,'link','choose soldier','[{"type":"card_chosen","seat":2,"card":"soldier","source":"display"},{"type":"card_opened","card":"temple"}]','bc25fa10af9b08dc85f77a533f8d74425a789e0643cf3479e6f5724e861ac0c1');
INSERT INTO "act" VALUES('kt5rf4se',6,'2026-11-02T01:00:00.000+00:00',2,'link','march Sparta B8-C7-D6-E5','[{"type":"alexander_marched","seat":2,"target":"Sparta","path":["B8","C7","D6","E5"],"walls":["C7-D6","D6-E5"],"red":0}]','8324ad1329dff7c351c87d74ca0ff2ee6c150c241022cee1ccdb643a6f33a831');
CREATE TABLE confirmation (
	code VARCHAR NOT NULL, 
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (code), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "confirmation" VALUES('e7flcgf3e6d7rbdnlhffpapdo7',1,'anna.new@example.org','2026-11-02 01:00:00.000000');
INSERT INTO "confirmation" VALUES('uz6ksmzb3jcfrv2cyvchw3f3ig',3,'cleo.new@example.org','2026-11-02 01:00:00.000000');
INSERT INTO "confirmation" VALUES('backtfcmy3sqt5poqibzqfuty4bvuo',3,'cleo@example.org','2026-11-02 01:00:00.000000');
CREATE TABLE game (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	board VARCHAR NOT NULL, 
	edition VARCHAR NOT NULL, 
	hours INTEGER NOT NULL, 
	opened_at DATETIME NOT NULL, 
	seq INTEGER NOT NULL, 
	"after" INTEGER NOT NULL, 
	status VARCHAR NOT NULL, 
	turn INTEGER NOT NULL, 
	seat INTEGER, 
	turn_began_at DATETIME, 
	deadline DATETIME, 
	reminded INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "game" VALUES('2ojir6if','Over','Alexandros','identity-games',24,'2026-11-01 12:00:00.000000',24,24,'over',22,1,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "game" VALUES('3dpoc2bi','Waiting – é','Alexandros','rio-grande',72,'2026-11-01 12:00:00.000000',3,0,'open',0,NULL,NULL,NULL,0);
INSERT INTO "game" VALUES('kt5rf4se','Friday','Alexandros','rio-grande',48,'2026-11-01 12:00:00.000000',6,6,'running',3,2,'2026-11-01 13:00:00.000000','2026-11-03 13:00:00.000000',0);
INSERT INTO "game" VALUES('g3fezuj2','With the house','Alexandros','rio-grande',12,'2026-11-01 12:00:00.000000',5,5,'running',4,1,'2026-11-02 01:00:00.000000','2026-11-02 13:00:00.000000',0);
CREATE TABLE heard (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	message INTEGER NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "heard" VALUES('kt5rf4se',0,3);
CREATE TABLE incoming (
	id INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	sender VARCHAR NOT NULL, 
	recipient VARCHAR NOT NULL, 
	raw BLOB NOT NULL, 
	message_id VARCHAR, 
	state VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "incoming" VALUES(1,'313fb4a6e97d101c10bee0c4618ec247f8ee887ed827a2123af7a6acdafacc16','2026-11-01 12:00:00.000000','ben@example.org','play+3dpoc2biaaajdtxcprx6pzw5avdefly@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B3364706F633262696161616A6474786370727836707A773561766465666C79406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A2057616974696E67203D3F7574662D383F623F346F4354494D4F703F3D0A4D6573736167652D49443A203C322E3140636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C3364706F633262692E312E302E696E7669746174696F6E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A6163636570740A','<2.1@client.example.org>','played','');
INSERT INTO "incoming" VALUES(2,'868e46a44eec4f4669183578e1c27e3b74c7b874c9a95e4760384043f4aa62a3','2026-11-01 12:00:00.000000','ben@example.org','play+kt5rf4seaabe3zx6764mp7xx3g3olwy@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B6B7435726634736561616265337A78363736346D703778783367336F6C7779406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204672696461790A4D6573736167652D49443A203C322E3240636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C6B743572663473652E322E302E7475726E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A666C7920746F20746865206D6F6F6E0A','<2.2@client.example.org>','refused','“fly to the moon”: “fly” is no action.');
INSERT INTO "incoming" VALUES(3,'319f10aaf8cd8a14dadb7e44ada906b9341040416298826d87e57dd23ae21c7c','2026-11-01 12:00:00.000000','ben@example.org','play+kt5rf4seaabe3zx6764mp7xx3g3olwy@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B6B7435726634736561616265337A78363736346D703778783367336F6C7779406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204672696461790A4D6573736167652D49443A203C322E3340636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C6B743572663473652E322E302E7475726E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A63686F6F7365206C7972650A6D61726368204C6172697373612041332D42322D43330A647261770A647261770A','<2.3@client.example.org>','played','');
INSERT INTO "incoming" VALUES(4,'8c8d362a213865bdbcfdc87e7245ca72e175ce96dfb09a2c41470e742bb8da63','2026-11-01 12:00:00.000000','dirk@example.org','play+aaaabbbbccccdddd@example.org',X'46726F6D3A204469726B203C6469726B406578616D706C652E6F72673E0A546F3A20706C61792B61616161626262626363636364646464406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F730A4D6573736167652D49443A203C322E3440636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A656E640A','<2.4@client.example.org>','ignored','The address it was sent to is not one of ours.');
INSERT INTO "incoming" VALUES(5,'66d3dfb3bdc2c3c9e82986b8bc70fc24da6146a88eefb0fbb243a354138ce725','2026-11-02 01:00:00.000000','ben@example.org','play+zzzzbbbbccccdddd@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B7A7A7A7A626262626363636364646464406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F730A4D6573736167652D49443A203C322E3540636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A6163636570740A','<2.5@client.example.org>','waiting','');
CREATE TABLE kept (
	id INTEGER NOT NULL, 
	recipient VARCHAR NOT NULL, 
	message_id VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	raw BLOB NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (message_id)
);
INSERT INTO "kept" VALUES(1,'anna@example.org','<kept.1@example.org>','2026-11-02 01:00:00.000000',X'46726F6D3A20416C6578616E64726F73203C616C6578616E64726F73406578616D706C652E6F72673E0D0A546F3A20616E6E61406578616D706C652E6F72670D0A5375626A6563743A2041206B657074206D61696C0D0A4D6573736167652D49443A203C6B6570742E31406578616D706C652E6F72673E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20386269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A4B65707420696E20746865206275696C742D696E206D61696C626F783A20C3A92E0D0A');
CREATE TABLE message (
	id INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	seat INTEGER, 
	addressee INTEGER, 
	words TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "message" VALUES(1,'kt5rf4se','2026-11-01 13:00:00.000000',2,NULL,'Hello everybody; it''s a fine day – één dag.');
INSERT INTO "message" VALUES(2,'kt5rf4se','2026-11-01 13:00:00.000000',0,1,'psst, Cleo');
INSERT INTO "message" VALUES(3,'kt5rf4se','2026-11-01 13:00:00.000000',1,NULL,'Not told by any letter yet.');
INSERT INTO "message" VALUES(4,'kt5rf4se','2026-11-02 01:00:00.000000',0,2,'Your clock, my walls.');
CREATE TABLE outgoing (
	id INTEGER NOT NULL, 
	message_id VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	recipient VARCHAR NOT NULL, 
	detail TEXT NOT NULL, 
	answers VARCHAR, 
	state VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	tries INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	queued_at DATETIME NOT NULL, 
	due_at DATETIME NOT NULL, 
	sent_at DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (message_id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "outgoing" VALUES(1,'<2ojir6if.2.0.turn@example.org>','2ojir6if',2,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(2,'<2ojir6if.4.0.turn@example.org>','2ojir6if',4,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(3,'<2ojir6if.6.0.turn@example.org>','2ojir6if',6,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(4,'<2ojir6if.24.0.over@example.org>','2ojir6if',24,0,'over','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

House has won

The game ended, because 101 points were reached.

Thank you for playing, A','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(5,'<3dpoc2bi.1.0.invitation@example.org>','3dpoc2bi',1,0,'invitation','ben@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Cleo, Anna and Dirk: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(6,'<3dpoc2bi.1.1.invitation@example.org>','3dpoc2bi',1,1,'invitation','cleo@example.org','{}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Doe je mee, Cleo?

Een potje Alexandros met Ben, Anna en Dirk: het bordspel van Leo Co','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(7,'<3dpoc2bi.1.2.invitation@example.org>','3dpoc2bi',1,2,'invitation','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Anna?

A game of Alexandros with Ben, Cleo and Dirk: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(8,'<3dpoc2bi.1.3.invitation@example.org>','3dpoc2bi',1,3,'invitation','dirk@example.org','{}',NULL,'sent','',2,'--- Write above this line ---

Will you play, Dirk?

A game of Alexandros with Ben, Cleo and Anna: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000');
INSERT INTO "outgoing" VALUES(9,'<3dpoc2bi.3.0.accepted1@example.org>','3dpoc2bi',3,0,'accepted','ben@example.org','{}','<2.1@client.example.org>','sent','',1,'--- Write above this line ---

You are in, Ben

Thank you. The game begins when everybody has accepted; you get a mail t','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(10,'<kt5rf4se.2.1.welcome@example.org>','kt5rf4se',2,1,'welcome','cleo@example.org','{}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Het spel is begonnen, Cleo

Ben begint. Ben je aan de beurt, dan krijg je een mail als','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(11,'<kt5rf4se.2.2.welcome@example.org>','kt5rf4se',2,2,'welcome','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

The game has begun, Anna

Ben begins. When it is your turn you get a mail like this one, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(12,'<kt5rf4se.2.0.turn@example.org>','kt5rf4se',2,0,'turn','ben@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Ben

Choose the temple, the lyre or a card from your hand, and march.

Please ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(13,'<kt5rf4se.2.0.refused2@example.org>','kt5rf4se',2,0,'refused','ben@example.org','{"sentence": "\u201cfly to the moon\u201d: \u201cfly\u201d is no action.", "undone": ["fly to the moon"]}','<2.2@client.example.org>','sent','',1,'--- Write above this line ---

Your mail was not played

“fly to the moon”: “fly” is no action.

It is Cleo''s turn; there is nothing for you to do now.

Cleo has until Tue 3 November 2026, 12:00 UTC.

Look at the game:
http://127.0.0.1:8000/t/kt5rf4seaab5hfpxpow7qthqjm3prka

== At a glance ==

  * Points: you 0, Cleo 0 and Anna 0.
  * Your hand: an amphora, a horse and 2 lyres.
  * The display: a temple and a lyre.

== How the game stands ==

Board: Alexandros
Edition: rio-grande
You: Ben (seat 1)
Turn: number 2, of Cleo (seat 2)
Phase: a card is to be chosen
Turns without a wall or a point: 0 of 30
Your hand: 1 amphora, 1 horse, 2 lyres
Display: 1 temple, 1 lyre
Supply: 47 cards
Discard pile: none
Walls left: 63 black, 10 red
Seat 1: Ben, blue circle, 0 points, 4 cards in hand, 4 guards in supply,
  a levy would give 0
Seat 2: Cleo, red square, 0 points, 1 card in hand, 4 guards in supply,
  a levy would give 0
Seat 3: Anna, gold diamond, 0 points, 1 card in hand, 4 guards in supply,
  a levy would give 0
Alexander: on C3
Guards of seat 1: none on the board
Guards of seat 2: none on the board
Guards of seat 3: none on the board
Province AB3: worth 112, 202 spaces, free, soldier Philippi AB5,
  horse Perinthus AB7, soldier Armavir AB17, horse Derbent AB20,
  amphora Aegae BC3, temple Sestos BC7, soldier Granicus BC8,
  temple Trapezus BC15, lyre Tigranocerta BC16, temple Artaxata BC19,
  amphora Dahae BC21, temple Thara BC24, soldier Chorasmia BC25,
  lyre Larissa CD4, horse Troy CD8, lyre Gordium CD10, amphora Mazaca CD12,
  soldier Melitene CD14, amphora Nisibis CD16, horse Arbela CD18,
  lyre Gazaca CD20, lyre Nisa CD25, amphora Bagae CD26, amphora Athens DE7,
  temple Ephesus DE10, horse Celaenae DE12, lyre Thapsacus DE14,
  temple Nineveh DE16, soldier Ecbatana DE19, temple Zadracarta DE21,
  horse Sirynca DE23, soldier Susia DE24, temple Merv DE26,
  horse Nautaca DE27, soldier Oxiana DE29, soldier Sparta EF5,
  horse Corinth EF6, lyre Halicarnassus EF9, amphora Byblus EF11,
  soldier Dura EF15, amphora Opis EF17, horse Bisitun EF19,
  amphora Rhagae EF22, lyre Hecatompylos EF23, lyre Bactra EF28,
  amphora Drapsaca EF29, temple Sidon FG13, temple Sittace FG18,
  lyre Susa FG19, soldier Gabae FG21, temple Carmana FG24,
  horse Artacoana FG26, soldier Ortospana FG28, temple Bazira FG31,
  horse Tyre GH12, amphora Damascus GH14, lyre Babylon GH15,
  amphora Charax GH19, amphora Prophthasia GH25, lyre Phrada GH27,
  horse Peucelaotis GH30, lyre Taxila GH31, amphora Paraetonium HI6,
  soldier Alexandria HI7, lyre Naucratis HI9, soldier Gaza HI13,
  temple Jerusalem HI15, horse Uruk HI17, lyre Gogana HI22,
  soldier Pasargadae HI23, horse Salmus HI24, temple Arachotus HI27,
  amphora Bucephala HI31, soldier Sangala HI32, temple Siwa IJ5,
  horse Memphis IJ8, amphora Coptos IJ14, temple Harmozia IJ23,
  amphora Pura IJ27, soldier Ora IJ28, horse Hyphasis IJ33,
  lyre Hermopolis JK7, temple Thebes JK9, soldier Syene JK10,
  horse Berenice JK12, lyre Philae JK13, horse Cocala JK28,
  temple Rhambacia JK29, lyre Patala JK31, amphora Musicanus JK32
Walls: A3-B2-C3

The same as a drawing: points are dots, @ is Alexander, lines are walls, the
letters t a h l s are symbols, and a figure is the seat whose guard stands
there.

                   1                   2                   3
   2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4
A    .   .   .               .   .   .   .                            A
    /    s   h                   s     h
B  .   .   .   .           .   .   .   .   .   .   .   .              B
    \a       t s             t l     t   a     t s
C    @   .   .   .   .   .   .   .   .   .   .   .   .   .            C
       l       h   l   a   s   a   h   l         l a
D      .   .   .   .   .   .   .   .   .   .   .   .   .   .          D
             a     t   h   l   t     s   t   h s   t h   s
E        .   .   .   .   .   .   .   .   .   .   .   .   .   .        E
         s h     l   a       s   a   h     a l         l a
F      .   .   .   .   .   .   .   .   .   .   .   .   .   .   .      F
                         t         t l   s     t   h   s     t
G                    .   .   .   .   .   .   .   .   .   .   .        G
                       h   a l       a           a   l     h l
H          .   .   .   .   .   .   .   .   .   .   .   .   .   .      H
           a s   l       s   t   h         l s h     t       a s
I        .   .   .   .   .   .   .       .   .   .   .   .   .   .    I
         t     h           a                 t       a s         h
J      .   .   .   .   .   .   .           .   .   .   .   .   .   .  J
             l   t s   h l                             h t   l a
K        .   .   .   .   .   .                   .   .   .   .   .    K

== How to play by mail ==

  * To write to everybody, reply with a line of its own such as
    “say: Good luck!”; to one alone, with one such as “tell Cleo: Good luck!”.
  * The links and the address of this mail work without a password and are
    yours alone: do not pass it on.
  * A turn may take 2 days; after that the server plays a quiet turn for the
    one who is late.

You get this mail because you play in “Friday”.

Your settings (which mails, how often, in which language):
http://127.0.0.1:8000/t/kt5rf4seaab5hfpxpow7qthqjm3prka/settings

No more mails about this game:
http://127.0.0.1:8000/u/kt5rf4seadhp6eb5yp45xo6zty
','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(14,'<kt5rf4se.3.0.answer3@example.org>','kt5rf4se',3,0,'answer','ben@example.org','{"done": ["choose lyre", "march Larissa A3-B2-C3", "draw", "draw"], "undone": [], "why": "", "posted": []}','<2.3@client.example.org>','sent','',1,'--- Write above this line ---

Done, Ben

It is Cleo''s turn; there is nothing for you to do now.

Cleo has until Tue 3 N','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(15,'<kt5rf4se.3.1.turn@example.org>','kt5rf4se',3,1,'turn','cleo@example.org','{}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Jouw beurt, Cleo

Kies de tempel, de harp of een kaart uit je hand, en marcheer.

Je h','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(16,'<kt5rf4se.4.2.turn@example.org>','kt5rf4se',4,2,'turn','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Anna

Choose the lyre, the soldier or a card from your hand, and march.

Pleas','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000');
INSERT INTO "outgoing" VALUES(17,'<kt5rf4se.4.0.news@example.org>','kt5rf4se',4,0,'news','ben@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Cleo has played

It is Anna''s turn; there is nothing for you to do now.

Anna has until T','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000');
INSERT INTO "outgoing" VALUES(18,'<kt5rf4se.4.0.message1@example.org>','kt5rf4se',4,0,'message','ben@example.org','{}',NULL,'dropped','it is told in letter 17',0,'','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(19,'<kt5rf4se.4.0.message3@example.org>','kt5rf4se',4,0,'message','ben@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Cleo writes to you

== Messages ==

Cleo writes:
  | Not told by any letter yet.

It is A','2026-11-01 13:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(20,'<g3fezuj2.2.1.welcome@example.org>','g3fezuj2',2,1,'welcome','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-01 12:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(21,'<g3fezuj2.3.1.turn@example.org>','g3fezuj2',3,1,'turn','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(22,'<g3fezuj2.3.1.reminder1@example.org>','g3fezuj2',3,1,'reminder1','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 19:00:00.000000','2026-11-01 19:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(23,'<g3fezuj2.4.1.time_passed@example.org>','g3fezuj2',4,1,'time_passed','dirk@example.org','{"seat": 1, "done": ["choose horse", "march Perinthus C3-B4-B6", "draw", "draw"]}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(24,'<g3fezuj2.5.1.turn@example.org>','g3fezuj2',5,1,'turn','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(25,'<g3fezuj2.5.1.stopped1793581200.0@example.org>','g3fezuj2',5,1,'stopped','dirk@example.org','{"everywhere": false}',NULL,'sent','',1,'--- Write above this line ---

No more mails, Dirk

As you asked, this is the last mail about “With the house”.

It is y','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(26,'<kt5rf4se.444d52d5083240a28a6ef17@example.org>','kt5rf4se',4,2,'confirm','anna.new@example.org','{"code": "e7flcgf3e6d7rbdnlhffpapdo7"}',NULL,'sent','',1,'--- Write above this line ---

Is this your address, Anna?

Somebody, most likely you, wants the mails for Anna to come ','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(27,'<kt5rf4se.b2707ea9dc25a9a3b6046d2@example.org>','kt5rf4se',4,1,'confirm','cleo.new@example.org','{"code": "uz6ksmzb3jcfrv2cyvchw3f3ig"}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Is dit jouw adres, Cleo?

Iemand, waarschijnlijk jijzelf, wil dat de mails voor Cleo v','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(28,'<3dpoc2bi.a036e0e42136582fc805f7f@example.org>','3dpoc2bi',3,1,'moved','cleo@example.org','{"code": "backtfcmy3sqt5poqibzqfuty4bvuo", "address": "cleo.new@example.org"}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Je mails gaan naar een ander adres, Cleo

Vanaf nu gaan de mails voor Cleo naar cleo.n','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(29,'<kt5rf4se.5.2.step@example.org>','kt5rf4se',5,2,'step','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 19:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(30,'<kt5rf4se.6.2.step@example.org>','kt5rf4se',6,2,'step','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 19:00:00.000000',NULL);
CREATE TABLE player (
	id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (address)
);
INSERT INTO "player" VALUES(1,'anna@example.org','Anna');
INSERT INTO "player" VALUES(2,'ben@example.org','Ben');
INSERT INTO "player" VALUES(3,'cleo.new@example.org','Cleo');
INSERT INTO "player" VALUES(4,'dirk@example.org','Dirk');
CREATE TABLE preference (
	player INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	said TEXT NOT NULL, 
	PRIMARY KEY (player, game), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "preference" VALUES(1,'2ojir6if','{"letters": true, "since": 1793534400}');
INSERT INTO "preference" VALUES(3,'','{"language": "nl", "zone": "Europe/Amsterdam", "pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": false, "pictures": false, "since": 1793534400}');
INSERT INTO "preference" VALUES(2,'','{"language": "en", "zone": "UTC", "pace": "gathered", "minutes": 30, "hour": 8, "moves": true, "messages": true, "pictures": true, "since": 1793534400}');
INSERT INTO "preference" VALUES(4,'g3fezuj2','{"letters": false, "since": 1793581200}');
INSERT INTO "preference" VALUES(1,'','{"language": "en", "zone": "UTC", "pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": false, "pictures": false, "since": 1793581200}');
INSERT INTO "preference" VALUES(1,'kt5rf4se','{"pace": "daily", "minutes": 60, "hour": 19, "moves": false, "messages": false, "pictures": false, "since": 1793581200}');
CREATE TABLE seating (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	player INTEGER, 
	house BOOLEAN NOT NULL, 
	accepted_at DATETIME, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "seating" VALUES('2ojir6if',0,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('2ojir6if',1,'House',NULL,1,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('3dpoc2bi',0,'Ben',2,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('3dpoc2bi',1,'Cleo',3,0,NULL);
INSERT INTO "seating" VALUES('3dpoc2bi',2,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('3dpoc2bi',3,'Dirk',4,0,NULL);
INSERT INTO "seating" VALUES('kt5rf4se',0,'Ben',2,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('kt5rf4se',1,'Cleo',3,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('kt5rf4se',2,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('g3fezuj2',0,'House',NULL,1,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('g3fezuj2',1,'Dirk',4,0,'2026-11-01 12:00:00.000000');
CREATE INDEX ix_confirmation_player ON confirmation (player);
CREATE INDEX ix_game_deadline ON game (deadline);
CREATE INDEX ix_game_status ON game (status);
CREATE INDEX ix_incoming_message_id ON incoming (message_id);
CREATE INDEX ix_incoming_state ON incoming (state);
CREATE INDEX ix_kept_recipient ON kept (recipient);
CREATE INDEX ix_message_game ON message (game);
CREATE INDEX ix_outgoing_game ON outgoing (game);
CREATE INDEX ix_outgoing_state ON outgoing (state);
CREATE INDEX ix_seating_player ON seating (player);
COMMIT;
