// SPDX-License-Identifier: Apache-2.0
// Method: alarms at different places write down when they act. The order in which they are set is
// shuffled; what they wrote must be the order that the agenda promises, sorted here by itself.
#include "tlm/transport/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <sysc/kernel/sc_dynamic_processes.h>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace t3::agenda_test {
namespace {

using testing::ElementsAre;

/// A place with one alarm for each turn, and two more whose order is that of their ports.
struct House : sc_core::sc_module {
  using Log = std::vector<std::tuple<Picoseconds, int, int>>;  ///< time, place, which alarm

  House(const sc_core::sc_module_name& name, int number, Log& log) : sc_module(name) {
    const auto act = [&log, number](int which) {
      return [&log, number, which] { log.emplace_back(now(), number, which); };
    };
    ports.push_back(std::make_unique<Alarm>(Turn::Arrival, act(1)));
    ports.push_back(std::make_unique<Alarm>(Turn::Arrival, act(0)));
    ports[0]->place(*this, 1);
    ports[1]->place(*this, 0);
    for (const Turn turn : {Turn::Memory, Turn::Work, Turn::Clock, Turn::Port, Turn::Wire}) {
      turns.push_back(std::make_unique<Alarm>(turn, act(10 * static_cast<int>(turn))));
    }
  }
  std::vector<Alarm*> all() {
    std::vector<Alarm*> alarms;
    for (const auto& alarm : ports) alarms.push_back(alarm.get());
    for (const auto& alarm : turns) alarms.push_back(alarm.get());
    return alarms;
  }

  Place place{*this};
  std::vector<std::unique_ptr<Alarm>> ports, turns;
};

struct Village {
  Village() {
    for (int i = 0; i < 5; ++i) {
      houses.push_back(std::make_unique<House>(("house" + std::to_string(i)).c_str(), i, log));
      for (Alarm* alarm : houses.back()->all()) alarms.push_back(alarm);
    }
  }
  /// Sets all, in any order, for a few times; returns how often.
  void setAll(std::mt19937_64& random) {
    for (int round = 0; round < 2; ++round) {
      std::ranges::shuffle(alarms, random);
      for (Alarm* alarm : alarms) alarm->set(now() + 10 + random() % 3);
      sc_core::sc_start();
    }
  }

  House::Log log;
  std::vector<std::unique_ptr<House>> houses;
  std::vector<Alarm*> alarms;
};

TEST(Agenda, OrdersByTimeThenTurnThenPlaceThenPortWhateverTheOrderOfSetting) {
  std::mt19937_64 random(test::seed(1));
  Village village;
  village.setAll(random);
  House::Log sorted = village.log;
  std::ranges::stable_sort(sorted, {}, [](const auto& entry) {
    const auto [when, place, which] = entry;
    return std::tuple(when, which / 10, place, which);  // 0 and 1: two ports, one turn
  });
  EXPECT_EQ(village.log.size(), 2 * village.alarms.size());
  EXPECT_EQ(village.log, sorted);
}

TEST(Agenda, ShuffledItKeepsTheOrderInsideAPlaceAndNoOther) {
  std::mt19937_64 random(test::seed(1));
  Village village;
  Agenda::ofSimulation().shuffle(7);
  village.setAll(random);
  House::Log sorted = village.log;
  std::ranges::stable_sort(sorted, {}, [](const auto& entry) {
    const auto [when, place, which] = entry;
    return std::tuple(place, when, which);
  });
  House::Log byPlace = village.log;
  std::ranges::stable_sort(byPlace, {}, [](const auto& entry) { return std::get<1>(entry); });
  EXPECT_EQ(byPlace, sorted);
  int descents = 0;  // a later place before an earlier one
  for (std::size_t i = 1; i < village.log.size(); ++i) {
    const auto [when, place, which] = village.log[i];
    const auto [whenBefore, placeBefore, whichBefore] = village.log[i - 1];
    descents += when == whenBefore && place < placeBefore ? 1 : 0;
  }
  EXPECT_GT(descents, 0);
  std::set<std::pair<Picoseconds, int>> begun;  // by time and place
  for (std::size_t i = 0; i < village.log.size(); ++i) {
    const auto [when, place, which] = village.log[i];
    const bool goesOn = i != 0 && std::get<0>(village.log[i - 1]) == when &&
                        std::get<1>(village.log[i - 1]) == place;
    EXPECT_EQ(begun.emplace(when, place).second, !goesOn) << "a place does all before the next";
  }
}

/// Two places. What they do, and SystemC's time meanwhile.
struct TwoHouses {
  struct Entry {
    Picoseconds when;
    char place;
    Picoseconds systemc;
    bool operator==(const Entry&) const = default;
  };
  struct One : sc_core::sc_module {
    One(const sc_core::sc_module_name& name, std::vector<Entry>& log)
        : sc_module(name), alarm(Turn::Work, [this, &log] {
            log.push_back({now(), *this->name(), sc_core::sc_time_stamp().value()});
            if (next < times.size()) alarm.set(times[next++]);
          }) {}
    void at(std::vector<Picoseconds> list) {
      times = std::move(list);
      next = 1;
      alarm.set(times.front());
    }
    Place place{*this};
    std::vector<Picoseconds> times;
    std::size_t next = 0;
    Alarm alarm;
  };

  std::vector<Entry> log;
  One a{"a", log}, b{"b", log};
  Agenda& agenda = Agenda::ofSimulation();
};

TEST(AgendaByPlace, GivesEachPlaceAWindowInTurn) {
  TwoHouses houses;
  houses.agenda.goByPlace(10);
  houses.a.at({5, 8, 14, 15, 40});
  houses.b.at({6, 7, 13, 16});
  sc_core::sc_start();
  EXPECT_THAT(houses.log, ElementsAre(TwoHouses::Entry{5, 'a', 5}, TwoHouses::Entry{8, 'a', 5},
                                      TwoHouses::Entry{14, 'a', 5}, TwoHouses::Entry{6, 'b', 5},
                                      TwoHouses::Entry{7, 'b', 5}, TwoHouses::Entry{13, 'b', 5},
                                      TwoHouses::Entry{15, 'a', 15}, TwoHouses::Entry{16, 'b', 15},
                                      TwoHouses::Entry{40, 'a', 40}));
}

TEST(AgendaByPlace, BringsSystemCsTimeToTheLastAction) {
  TwoHouses houses;
  houses.agenda.goByPlace(10);
  houses.a.at({5, 9});
  houses.b.at({6, 7});
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 9U);
  EXPECT_EQ(now(), 9U);
}

TEST(AgendaByPlace, KeepsTheCommonOrderForWhoeverNeedsIt) {
  TwoHouses houses;
  houses.agenda.goByPlace(10);
  houses.a.at({5, 8});
  houses.b.at({6, 7});
  houses.agenda.keepCommonOrder();
  houses.agenda.goByPlace(10);
  sc_core::sc_start();
  EXPECT_THAT(houses.log, ElementsAre(TwoHouses::Entry{5, 'a', 5}, TwoHouses::Entry{6, 'b', 6},
                                      TwoHouses::Entry{7, 'b', 7}, TwoHouses::Entry{8, 'a', 8}));
}

TEST(AgendaByPlace, ALookaheadOfOnePicosecondIsTheCommonOrder) {
  TwoHouses houses;
  houses.agenda.goByPlace(1);
  houses.a.at({5, 6});
  houses.b.at({5, 6});
  sc_core::sc_start();
  EXPECT_THAT(houses.log, ElementsAre(TwoHouses::Entry{5, 'a', 5}, TwoHouses::Entry{5, 'b', 5},
                                      TwoHouses::Entry{6, 'a', 6}, TwoHouses::Entry{6, 'b', 6}));
}

TEST(AgendaByPlace, EndsWindowsWhereItIsTold) {
  TwoHouses houses;
  houses.agenda.goByPlace(10);
  houses.agenda.endWindowsAt(8);
  houses.a.at({5, 7, 8});
  houses.b.at({6});
  sc_core::sc_start(fromPicoseconds(7), sc_core::SC_EXIT_ON_STARVATION);
  EXPECT_THAT(houses.log, ElementsAre(TwoHouses::Entry{5, 'a', 5}, TwoHouses::Entry{7, 'a', 5},
                                      TwoHouses::Entry{6, 'b', 5}));
}

TEST(AgendaByPlace, EndsWindowsWhereASystemCProcessWakes) {
  TwoHouses houses;
  houses.agenda.goByPlace(10);
  houses.a.at({5, 7, 9});
  houses.b.at({6, 9});
  std::size_t seen = 0;
  sc_core::sc_spawn([&] {
    sc_core::wait(fromPicoseconds(8));
    seen = houses.log.size();
  });
  sc_core::sc_start();
  EXPECT_EQ(seen, 3U) << "all before 8 ps, and nothing of 9 ps";
  EXPECT_EQ(houses.log.size(), 5U);
}

TEST(AgendaByPlace, RefusesWhatComesIntoThePastOfAPlace) {
  TwoHouses houses;
  houses.agenda.goByPlace(10);
  houses.a.at({5, 12});
  houses.b.at({6});
  // Less than the lookahead after it is sent, into a place that has already passed that time.
  struct Sender : sc_core::sc_module {
    explicit Sender(TwoHouses& to) : sc_module(sc_core::sc_module_name("z")) {
      alarm = std::make_unique<Alarm>(Turn::Work, [&to] { to.a.alarm.set(now() + 1); });
      alarm->set(6);
    }
    Place place{*this};
    std::unique_ptr<Alarm> alarm;
  } sender(houses);
  EXPECT_THAT([] { sc_core::sc_start(); }, testing::ThrowsMessage<sc_core::sc_report>(
                                               testing::HasSubstr("in the past of its place")));
}

TEST(Agenda, AnAlarmActsOnceAtTheEarliestTimeThatWasSet) {
  std::vector<Picoseconds> acted;
  Alarm alarm(Turn::Work, [&acted] { acted.push_back(now()); });
  alarm.set(30);
  alarm.set(10);
  alarm.set(20);
  EXPECT_TRUE(alarm.isSet());
  sc_core::sc_start();
  EXPECT_THAT(acted, ElementsAre(10));
  EXPECT_FALSE(alarm.isSet());
  EXPECT_EQ(now(), 10U) << "nothing is left to happen";
}

TEST(Agenda, AnActionMaySetItsAlarmAndOthersForTheSameTime) {
  std::vector<std::string> acted;
  std::unique_ptr<Alarm> memory, work;
  memory = std::make_unique<Alarm>(Turn::Memory, [&] {
    acted.emplace_back("memory");
    if (acted.size() < 4) work->set(now());
  });
  work = std::make_unique<Alarm>(Turn::Work, [&] {
    acted.emplace_back("work");
    memory->set(now());
    if (acted.size() == 1) work->set(now());
  });
  work->set(5);
  sc_core::sc_start();
  EXPECT_THAT(acted, ElementsAre("work", "work", "memory", "work", "memory"));
  EXPECT_EQ(now(), 5U);
}

TEST(Agenda, AnAlarmThatIsGoneDoesNotAct) {
  bool acted = false;
  {
    Alarm gone(Turn::Work, [&acted] { acted = true; });
    gone.set(3);
  }
  Alarm other(Turn::Work, [] {});
  other.set(4);
  sc_core::sc_start();
  EXPECT_FALSE(acted);
  EXPECT_EQ(now(), 4U);
}

}  // namespace
}  // namespace t3::agenda_test
