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
INSERT INTO "act" VALUES('dmfyk2xz',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Over","board":"Alexandros","edition":"identity-games","hours":24,"seats":["Anna","House"]}]','179674e0dbc93fa0179a522d779f842c4af755ee8249c2a642c42ba9ee216b80');
INSERT INTO "act" VALUES('dmfyk2xz',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"identity-games","seats":["Anna","House"],"hands":[["temple"],["horse"]],"display":["temple","lyre"]}]','fa8c16d50b9340a027072ba0f4b482094746df6e696b6e717ae2169ca0b1a913');
INSERT INTO "act" VALUES('dmfyk2xz',3,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Larissa A3-B4-C5-D4; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B4","C5","D4"],"walls":["A3-B4","B4-C5","C5-D4"],"red":0},{"type":"turn_ended","seat":0}]','41a67459a087feb724585e8b67193df6a087e8cd9a6705259e8599eb077519a5');
INSERT INTO "act" VALUES('dmfyk2xz',4,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sestos D4-D6-C7-B8; occupy Philippi; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["D4","D6","C7","B8"],"walls":["C7-D6","B8-C7"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi"],"paid":["temple","horse"]},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"turn_ended","seat":1}]','8d22789c4e9d789832ad762c2996ad67b109e0558a5219ab293058acd2925f31');
INSERT INTO "act" VALUES('dmfyk2xz',5,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Gordium B8-C9-D10; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Gordium","path":["B8","C9","D10"],"walls":["C9-D10"],"red":0},{"type":"turn_ended","seat":0}]','e0548f301e735c885263329fa278b5c83ead3f57fcab0ad423998e0e75617c32');
INSERT INTO "act" VALUES('dmfyk2xz',6,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Troy D10-C9; take soldier; levy soldier','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Troy","path":["D10","C9"],"walls":[],"red":0},{"type":"card_taken","seat":1,"card":"soldier"},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,6]},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"temple"}]','50b7446540c6e6d66cb8d7e5d2de02442d1e0afd378c02c720ef9ca9f075472e');
INSERT INTO "act" VALUES('dmfyk2xz',7,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Ephesus C9-D8-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["C9","D8","E9"],"walls":["C9-D8","D8-E9"],"red":0},{"type":"turn_ended","seat":0}]','6be12ec885096d275bfc51a4f25abeead16e7aec52fd3360f57e8e4b31650cd6');
INSERT INTO "act" VALUES('dmfyk2xz',8,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sidon E9-F10-F12; draw; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Sidon","path":["E9","F10","F12"],"walls":["E9-F10"],"red":0},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"card_drawn","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1}]','7a53f35b876ec573669586f571193c5c214936be1887e832eca8a17dfbf39903');
INSERT INTO "act" VALUES('dmfyk2xz',9,'2026-11-01T12:00:00.000+00:00',0,'link','play temple; march Ephesus F12-E11-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["F12","E11","E9"],"walls":["E11-F12","E9-E11"],"red":0},{"type":"turn_ended","seat":0}]','18b91e3eac3a1bfcaf1942752ded880cb9bafc0a54147b08a51150e3b13c673a');
INSERT INTO "act" VALUES('dmfyk2xz',10,'2026-11-01T12:00:00.000+00:00',1,'house','choose amphora; march Athens E9-D8-D6; occupy Byblus; levy amphora','[{"type":"card_chosen","seat":1,"card":"amphora","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Athens","path":["E9","D8","D6"],"walls":["D6-D8"],"red":0},{"type":"province_occupied","seat":1,"guards":["Byblus"],"paid":[]},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"turn_ended","seat":1}]','437d7f610f34669bba6352d2f9b6300e5cec492a0e90cf75ab8431f28e6a83df');
INSERT INTO "act" VALUES('dmfyk2xz',11,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Thapsacus D6-D8-D10-E11-E13-E15; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Thapsacus","path":["D6","D8","D10","E11","E13","E15"],"walls":["D8-D10","D10-E11","E11-E13","E13-E15"],"red":0},{"type":"turn_ended","seat":0}]','f55c80cd3644a9e744bf0caedacf7b37338438977f940f98829dcebd7772bce0');
INSERT INTO "act" VALUES('dmfyk2xz',12,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Babylon E15-F14-G13-H14; levy amphora; occupy Sidon','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Babylon","path":["E15","F14","G13","H14"],"walls":["E15-F14","F14-G13","G13-H14"],"red":0},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"province_occupied","seat":1,"guards":["Sidon"],"paid":[]},{"type":"turn_ended","seat":1}]','3edaf4eaa6a69f7a9973df70bbf5131901d33e411401d5127d383beaff2697e4');
INSERT INTO "act" VALUES('dmfyk2xz',13,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Philae H14-I15-J14-K13; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Philae","path":["H14","I15","J14","K13"],"walls":["H14-I15","I15-J14","J14-K13"],"red":0},{"type":"turn_ended","seat":0}]','2058c8f42c92f478af87eafa26e8e43f7fec637ddc7c35d582d52612537af690');
INSERT INTO "act" VALUES('dmfyk2xz',14,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Uruk K13-J14-I15-H16-H18; levy temple; occupy Uruk','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Uruk","path":["K13","J14","I15","H16","H18"],"walls":["H16-I15","H16-H18"],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,10]},{"type":"province_occupied","seat":1,"guards":["Uruk"],"paid":[]},{"type":"turn_ended","seat":1}]','b7bac9280b9f50e673b6fd10e9aa255ac7a8c8938f3c4840505a67b0dc47bb6a');
INSERT INTO "act" VALUES('dmfyk2xz',15,'2026-11-01T12:00:00.000+00:00',0,'link','choose amphora; march Opis H18-G19-F18-E17; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":0,"target":"Opis","path":["H18","G19","F18","E17"],"walls":["G19-H18","F18-G19","E17-F18"],"red":0},{"type":"turn_ended","seat":0}]','074630004878af24e116daf23db52d7baf63390530425a502111cd5534c943ee');
INSERT INTO "act" VALUES('dmfyk2xz',16,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Ecbatana E17-D18; levy horse; recall Byblus','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Ecbatana","path":["E17","D18"],"walls":["D18-E17"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,15]},{"type":"guard_recalled","seat":1,"place":"Byblus"},{"type":"turn_ended","seat":1}]','b41462ab3fbc840bb8f273bbd15940a11be2fbc3b4660a8101f06654f9ed292e');
INSERT INTO "act" VALUES('dmfyk2xz',17,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Zadracarta D18-E19-E21; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Zadracarta","path":["D18","E19","E21"],"walls":["D18-E19","E19-E21"],"red":0},{"type":"turn_ended","seat":0}]','7c5615975c36e2df12bcebe99326f12029f61bd5079836d09de3767b04f76825');
INSERT INTO "act" VALUES('dmfyk2xz',18,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Gabae E21-F22-G21; levy horse; occupy Bisitun','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Gabae","path":["E21","F22","G21"],"walls":["E21-F22","F22-G21"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,14]},{"type":"province_occupied","seat":1,"guards":["Bisitun"],"paid":["lyre","soldier"]},{"type":"turn_ended","seat":1}]','b70735fd16120c1695adf8bbe4bd48d2897d3e6f7357ddceb5817e3bceb000e9');
INSERT INTO "act" VALUES('dmfyk2xz',19,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Carmana G21-G23-G25; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Carmana","path":["G21","G23","G25"],"walls":["G21-G23","G23-G25"],"red":0},{"type":"turn_ended","seat":0}]','e5536f7aba5789aca6b84d2d9f50d49e15fdcf9b44da04f27c6de2302d0a029b');
INSERT INTO "act" VALUES('dmfyk2xz',20,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Salmus G25-H24; levy horse; take amphora','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Salmus","path":["G25","H24"],"walls":["G25-H24"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,19]},{"type":"card_taken","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"lyre"}]','addbc97280cd0e6828b99f6675826907a76140c5614a75e12d6da0525cf72e2c');
INSERT INTO "act" VALUES('dmfyk2xz',21,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Phrada H24-H26-H28; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Phrada","path":["H24","H26","H28"],"walls":["H24-H26","H26-H28"],"red":0},{"type":"turn_ended","seat":0}]','52fcef7789cf07a6e27d103c412038b9f6e22cef01a5501e2b35a4d5f8c5d187');
INSERT INTO "act" VALUES('dmfyk2xz',22,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Taxila H28-H30; levy soldier; draw','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Taxila","path":["H28","H30"],"walls":["H28-H30"],"red":0},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,19]},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"turn_ended","seat":1}]','979b6b55b6f7abf443d1537e9ca4d13153b324b1d755baced01553f91fe11295');
INSERT INTO "act" VALUES('dmfyk2xz',23,'2026-11-01T12:00:00.000+00:00',0,'link','play amphora; march Pura H30-I29-J28-J26; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Pura","path":["H30","I29","J28","J26"],"walls":["H30-I29","I29-J28","J26-J28"],"red":0},{"type":"turn_ended","seat":0}]','81a81b0a1f26054fe1ab09ed3285a91e13990a47749ede4083084b88e16cb000');
INSERT INTO "act" VALUES('dmfyk2xz',24,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Harmozia J26-J24; levy temple','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Harmozia","path":["J26","J24"],"walls":[],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,19]},{"type":"game_ended","reason":"points","winners":[1]}]','d7fece076f16ce3e1764053788fc158e1538c4080b52b8576cc08fd12a38cd6d');
INSERT INTO "act" VALUES('mdb7mjbg',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Waiting \u2013 \u00e9","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Ben","Cleo","Anna","Dirk"]}]','e5c09ae2986b27cabe500c080a034fa93ae662a2319a3013014ce173357c289e');
INSERT INTO "act" VALUES('mdb7mjbg',2,'2026-11-01T12:00:00.000+00:00',2,'link','accept','[{"type":"seat_accepted","seat":2}]','90b1792adae757c6ed25594a42cff459657b6bb99fccc190faff72512241ebb5');
INSERT INTO "act" VALUES('mdb7mjbg',3,'2026-11-01T12:00:00.000+00:00',0,'reply','accept','[{"type":"seat_accepted","seat":0}]','cdb9ce269e81ea3963be455a9ff42f2cc0b4223f86d754e69a858ae4a0734ab2');
INSERT INTO "act" VALUES('2igq3ezf',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Ben","Cleo","Anna"]}]','b96f0e2a2332b54bc44cc965571db0723de4343d44a388a1468982cba6929563');
INSERT INTO "act" VALUES('2igq3ezf',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Ben","Cleo","Anna"],"hands":[["amphora"],["horse"],["temple"]],"display":["temple","lyre"]}]','d4a480cd2e6007d31f0b7d038489e3138de08e79d20feddcd083d702a9e3ab11');
INSERT INTO "act" VALUES('2igq3ezf',3,'2026-11-01T12:00:00.000+00:00',0,'reply','choose lyre; march Larissa A3-B2-C3; draw; draw','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B2","C3"],"walls":["A3-B2","B2-C3"],"red":0},{"type":"card_drawn","seat":0,"card":"horse"},{"type":"card_drawn","seat":0,"card":"lyre"},{"type":"turn_ended","seat":0}]','8b20429e5c2e447304a51c79e8d676f9c7b2298f2b84eb353c414df7d5092de0');
INSERT INTO "act" VALUES('2igq3ezf',4,'2026-11-01T13:00:00.000+00:00',1,'link','choose temple; march Sestos C3-C5-C7-B8; occupy Philippi+Aegae; recall Aegae','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["C3","C5","C7","B8"],"walls":["C3-C5","C5-C7","B8-C7"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi","Aegae"],"paid":["temple","horse"]},{"type":"guard_recalled","seat":1,"place":"Aegae"},{"type":"turn_ended","seat":1}]','79f6c5ba7d63646e24177342e5850a3e606675467d4cf29045a30df2213fb60d');
INSERT INTO "act" VALUES('twkzcjgn',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"With the house","board":"Alexandros","edition":"rio-grande","hours":12,"seats":["House","Dirk"]}]','2e4e3337f1d2f93f0d0eba424104e14998beda71af9bdfdafbcf5077c1b4d0ad');
INSERT INTO "act" VALUES('twkzcjgn',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["House","Dirk"],"hands":[["temple"],["lyre"]],"display":["lyre","lyre"]}]','9367c3daa6ad78ef147a9237f787192e9a16bdd3a9a64d8f47d487ed3e988aaf');
INSERT INTO "act" VALUES('twkzcjgn',3,'2026-11-01T12:00:00.000+00:00',0,'house','choose lyre; march Larissa A3-B4-C3; occupy Aegae; take amphora','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B4","C3"],"walls":["A3-B4","B4-C3"],"red":0},{"type":"province_occupied","seat":0,"guards":["Aegae"],"paid":[]},{"type":"card_taken","seat":0,"card":"amphora"},{"type":"turn_ended","seat":0},{"type":"card_opened","card":"horse"}]','9d0bba5f50b1c3cc67f24b40517aab8dcd2d412c6f4dcb22adb9e346c674bf58');
INSERT INTO "act" VALUES('twkzcjgn',4,'2026-11-02T01:00:00.000+00:00',1,'clock','choose horse; march Perinthus C3-B4-B6; draw; draw','[{"type":"turn_timed_out","seat":1},{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Perinthus","path":["C3","B4","B6"],"walls":["B4-B6"],"red":0},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"card_drawn","seat":1,"card":"soldier"},{"type":"turn_ended","seat":1}]','eb9e3f123630fa11930664fe955815b16d89931f6567213c27c13261166e7df4');
INSERT INTO "act" VALUES('twkzcjgn',5,'2026-11-02T01:00:00.000+00:00',0,'house','play amphora; march Athens B6-C7-D6; occupy Larissa; levy lyre','[{"type":"card_chosen","seat":0,"card":"amphora","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Athens","path":["B6","C7","D6"],"walls":["B6-C7","C7-D6"],"red":0},{"type":"province_occupied","seat":0,"guards":["Larissa"],"paid":[]},{"type":"taxes_levied","seat":0,"card":"lyre","gains":[6,0]},{"type":"turn_ended","seat":0}]','4ea8b5736eaebee3e863b2de0cf8eea376167c246dcd1e2a8c509871a1692afb');
INSERT INTO "act" VALUES('2igq3ezf',5,'2026-11-02T01:00:00.000+00:00',2,'link','choose soldier','[{"type":"card_chosen","seat":2,"card":"soldier","source":"display"},{"type":"card_opened","card":"temple"}]','6977b3f5152012024be9a3ea06555ed97ab3fe9346c64f20b2f55d3fdef0b6c0');
INSERT INTO "act" VALUES('2igq3ezf',6,'2026-11-02T01:00:00.000+00:00',2,'link','march Sparta B8-C7-D6-E5','[{"type":"alexander_marched","seat":2,"target":"Sparta","path":["B8","C7","D6","E5"],"walls":["C7-D6","D6-E5"],"red":0}]','e6b081bf5eda8c428e28f7e72f0579bd5d244da8e99d3d778437042520b8bee7');
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
INSERT INTO "game" VALUES('dmfyk2xz','Over','Alexandros','identity-games',24,'2026-11-01 12:00:00.000000',24,24,'over',22,1,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "game" VALUES('mdb7mjbg','Waiting – é','Alexandros','rio-grande',72,'2026-11-01 12:00:00.000000',3,0,'open',0,NULL,NULL,NULL,0);
INSERT INTO "game" VALUES('2igq3ezf','Friday','Alexandros','rio-grande',48,'2026-11-01 12:00:00.000000',6,6,'running',3,2,'2026-11-01 13:00:00.000000','2026-11-03 13:00:00.000000',0);
INSERT INTO "game" VALUES('twkzcjgn','With the house','Alexandros','rio-grande',12,'2026-11-01 12:00:00.000000',5,5,'running',4,1,'2026-11-02 01:00:00.000000','2026-11-02 13:00:00.000000',0);
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
INSERT INTO "incoming" VALUES(1,'7bba00520b4a829537158da2ebd5b67873526a89b57f148ac2f8f609f22d523a','2026-11-01 12:00:00.000000','ben@example.org','play+mdb7mjbgaaakomoxvrxmw4sc5tgwpia@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B6D6462376D6A62676161616B6F6D6F787672786D7734736335746777706961406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A2057616974696E67203D3F7574662D383F623F346F4354494D4F703F3D0A4D6573736167652D49443A203C312E3140636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C6D6462376D6A62672E312E302E696E7669746174696F6E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A6163636570740A','<1.1@client.example.org>','played','');
INSERT INTO "incoming" VALUES(2,'39a44afee960579371d17126d5f154f2a54456584c448416ab70594822996455','2026-11-01 12:00:00.000000','ben@example.org','play+2igq3ezfaabgyvg2xheft2zkigzrcfq@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B3269677133657A6661616267797667327868656674327A6B69677A72636671406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204672696461790A4D6573736167652D49443A203C312E3240636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C3269677133657A662E322E302E7475726E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A666C7920746F20746865206D6F6F6E0A','<1.2@client.example.org>','refused','“fly to the moon”: “fly” is no action');
INSERT INTO "incoming" VALUES(3,'f544c76ef33bc6162cb61fe9b0e987220cf8a98a24f2bf3c81602767c7e48119','2026-11-01 12:00:00.000000','ben@example.org','play+2igq3ezfaabgyvg2xheft2zkigzrcfq@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B3269677133657A6661616267797667327868656674327A6B69677A72636671406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204672696461790A4D6573736167652D49443A203C312E3340636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C3269677133657A662E322E302E7475726E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A63686F6F7365206C7972650A6D61726368204C6172697373612041332D42322D43330A647261770A647261770A','<1.3@client.example.org>','played','');
INSERT INTO "incoming" VALUES(4,'dff001c6d4012e1599495f568a9ce0599f1644d029f6319b65d43c740bf1e820','2026-11-01 12:00:00.000000','dirk@example.org','play+aaaabbbbccccdddd@example.org',X'46726F6D3A204469726B203C6469726B406578616D706C652E6F72673E0A546F3A20706C61792B61616161626262626363636364646464406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F730A4D6573736167652D49443A203C312E3440636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A656E640A','<1.4@client.example.org>','ignored','The address it was sent to is not one of ours.');
INSERT INTO "incoming" VALUES(5,'041315e31e74dc1aa50f294fb702927d4cfcc8fc5bc7da03ba3fc51d1ad97696','2026-11-02 01:00:00.000000','ben@example.org','play+zzzzbbbbccccdddd@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B7A7A7A7A626262626363636364646464406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F730A4D6573736167652D49443A203C312E3540636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A6163636570740A','<1.5@client.example.org>','waiting','');
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
INSERT INTO "outgoing" VALUES(1,'<dmfyk2xz.2.0.turn@example.org>','dmfyk2xz',2,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(2,'<dmfyk2xz.4.0.turn@example.org>','dmfyk2xz',4,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(3,'<dmfyk2xz.6.0.turn@example.org>','dmfyk2xz',6,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(4,'<dmfyk2xz.8.0.turn@example.org>','dmfyk2xz',8,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(5,'<dmfyk2xz.10.0.turn@example.org>','dmfyk2xz',10,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(6,'<dmfyk2xz.12.0.turn@example.org>','dmfyk2xz',12,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(7,'<dmfyk2xz.14.0.turn@example.org>','dmfyk2xz',14,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(8,'<dmfyk2xz.16.0.turn@example.org>','dmfyk2xz',16,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(9,'<dmfyk2xz.18.0.turn@example.org>','dmfyk2xz',18,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(10,'<dmfyk2xz.20.0.turn@example.org>','dmfyk2xz',20,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(11,'<dmfyk2xz.22.0.turn@example.org>','dmfyk2xz',22,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',1,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(12,'<dmfyk2xz.24.0.over@example.org>','dmfyk2xz',24,0,'over','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

House has won

The game ended, for 101 points were reached.

Thank you for playing, Anna.','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(13,'<mdb7mjbg.1.0.invitation@example.org>','mdb7mjbg',1,0,'invitation','ben@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

You are invited to a game of Alexandros with Cleo, Anna and Dirk: th','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(14,'<mdb7mjbg.1.1.invitation@example.org>','mdb7mjbg',1,1,'invitation','cleo@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Cleo?

You are invited to a game of Alexandros with Ben, Anna and Dirk: th','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(15,'<mdb7mjbg.1.2.invitation@example.org>','mdb7mjbg',1,2,'invitation','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Anna?

You are invited to a game of Alexandros with Ben, Cleo and Dirk: th','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(16,'<mdb7mjbg.1.3.invitation@example.org>','mdb7mjbg',1,3,'invitation','dirk@example.org','{}',NULL,'sent','',2,'--- Write above this line ---

Will you play, Dirk?

You are invited to a game of Alexandros with Ben, Cleo and Anna: th','2026-11-01 12:00:00.000000','2026-11-01 12:01:00.000000','2026-11-01 19:00:00.000000');
INSERT INTO "outgoing" VALUES(17,'<mdb7mjbg.3.0.accepted1@example.org>','mdb7mjbg',3,0,'accepted','ben@example.org','{}','<1.1@client.example.org>','sent','',1,'--- Write above this line ---

You play, Ben

Thank you: your place in the game is kept. It begins when everybody has
ac','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(18,'<2igq3ezf.2.1.welcome@example.org>','2igq3ezf',2,1,'welcome','cleo@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

The game has begun, Cleo

Ben begins. You get a mail like this one when it is your turn, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(19,'<2igq3ezf.2.2.welcome@example.org>','2igq3ezf',2,2,'welcome','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

The game has begun, Anna

Ben begins. You get a mail like this one when it is your turn, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(20,'<2igq3ezf.2.0.turn@example.org>','2igq3ezf',2,0,'turn','ben@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Ben

Choose the temple, the lyre or a card of your hand, and march.

Please pl','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(21,'<2igq3ezf.2.0.refused2@example.org>','2igq3ezf',2,0,'refused','ben@example.org','{"sentence": "\u201cfly to the moon\u201d: \u201cfly\u201d is no action", "undone": ["fly to the moon"]}','<1.2@client.example.org>','sent','',1,'--- Write above this line ---

Your mail was not played

“fly to the moon”: “fly” is no action

This is how the game stands now. It is Cleo''s turn; nothing is needed of you.

Cleo has until Tue 3 November 2026, 12:00 UTC.

Open the game on its page:
http://127.0.0.1:8000/t/2igq3ezfaab7wopb3o7uduoulvrj6ia

== How the game stands ==

Board: Alexandros
Edition: rio-grande
You: Ben (seat 1)
Turn: number 2, of Cleo (seat 2)
Phase: a card is to be chosen
Turns without a wall or a point: 0 of 30
Your hand: 1 amphora, 1 horse, 2 lyre
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

                   1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2 3 3 3 3 3
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

  * Links and address are yours alone, without a password: do not pass this
    mail on.
  * A turn may take 2 days; after that a quiet turn is played in place of
    whoever was due.

You get this mail because you play in “Friday”.
','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(22,'<2igq3ezf.3.0.answer3@example.org>','2igq3ezf',3,0,'answer','ben@example.org','{"done": ["choose lyre", "march Larissa A3-B2-C3", "draw", "draw"], "undone": [], "why": ""}','<1.3@client.example.org>','sent','',1,'--- Write above this line ---

Done, Ben

It is Cleo''s turn; nothing is needed of you.

Cleo has until Tue 3 November 20','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(23,'<2igq3ezf.3.1.turn@example.org>','2igq3ezf',3,1,'turn','cleo@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Cleo

Choose the temple, the lyre or a card of your hand, and march.

Please p','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(24,'<2igq3ezf.4.2.turn@example.org>','2igq3ezf',4,2,'turn','anna@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Anna

Choose the lyre, the soldier or a card of your hand, and march.

Please ','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 19:00:00.000000');
INSERT INTO "outgoing" VALUES(25,'<twkzcjgn.2.1.welcome@example.org>','twkzcjgn',2,1,'welcome','dirk@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

The game has begun, Dirk

Dirk begins. You get a mail like this one when it is your turn,','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 19:00:00.000000');
INSERT INTO "outgoing" VALUES(26,'<twkzcjgn.3.1.turn@example.org>','twkzcjgn',3,1,'turn','dirk@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Dirk

Choose the horse, the lyre or a card of your hand, and march.

Please pl','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 19:00:00.000000');
INSERT INTO "outgoing" VALUES(27,'<twkzcjgn.3.1.reminder1@example.org>','twkzcjgn',3,1,'reminder1','dirk@example.org','{}',NULL,'sent','',1,'--- Write above this line ---

5 hours left, Dirk

It is your turn: choose the horse, the lyre or a card of your hand, a','2026-11-01 19:00:00.000000','2026-11-01 19:00:00.000000','2026-11-01 19:00:00.000000');
INSERT INTO "outgoing" VALUES(28,'<twkzcjgn.4.1.time_passed@example.org>','twkzcjgn',4,1,'time_passed','dirk@example.org','{"seat": 1, "done": ["choose horse", "march Perinthus C3-B4-B6", "draw", "draw"]}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(29,'<twkzcjgn.5.1.turn@example.org>','twkzcjgn',5,1,'turn','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(30,'<2igq3ezf.5.2.turn@example.org>','2igq3ezf',5,2,'turn','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(31,'<2igq3ezf.6.2.turn@example.org>','2igq3ezf',6,2,'turn','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL);
CREATE TABLE player (
	id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (address)
);
INSERT INTO "player" VALUES(1,'anna@example.org','Anna');
INSERT INTO "player" VALUES(2,'ben@example.org','Ben');
INSERT INTO "player" VALUES(3,'cleo@example.org','Cleo');
INSERT INTO "player" VALUES(4,'dirk@example.org','Dirk');
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
INSERT INTO "seating" VALUES('dmfyk2xz',0,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('dmfyk2xz',1,'House',NULL,1,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('mdb7mjbg',0,'Ben',2,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('mdb7mjbg',1,'Cleo',3,0,NULL);
INSERT INTO "seating" VALUES('mdb7mjbg',2,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('mdb7mjbg',3,'Dirk',4,0,NULL);
INSERT INTO "seating" VALUES('2igq3ezf',0,'Ben',2,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('2igq3ezf',1,'Cleo',3,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('2igq3ezf',2,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('twkzcjgn',0,'House',NULL,1,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('twkzcjgn',1,'Dirk',4,0,'2026-11-01 12:00:00.000000');
CREATE INDEX ix_game_deadline ON game (deadline);
CREATE INDEX ix_game_status ON game (status);
CREATE INDEX ix_incoming_message_id ON incoming (message_id);
CREATE INDEX ix_incoming_state ON incoming (state);
CREATE INDEX ix_kept_recipient ON kept (recipient);
CREATE INDEX ix_outgoing_game ON outgoing (game);
CREATE INDEX ix_outgoing_state ON outgoing (state);
CREATE INDEX ix_seating_player ON seating (player);
COMMIT;
